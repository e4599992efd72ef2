// Writing Parquet, CSV and Arrow IPC files.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "arrow/csv/writer.h"
#include "arrow/extension_type.h"
#include "arrow/io/file.h"
#include "arrow/ipc/writer.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "arrow/util/byte_size.h"
#include "cli/transfer.h"
#include "parquet/arrow/writer.h"
#include "parquet/properties.h"

namespace lance::cli {
namespace {

// Parquet keeps a row group in memory until it is full.
constexpr int64_t kRowGroupBytes = 64 << 20;
constexpr int64_t kMaxRowGroupRows = 1 << 20;

class Sink {
 public:
  virtual ~Sink() = default;
  virtual Status Write(const arrow::RecordBatch& batch) = 0;
  virtual Status Close() = 0;
};

class ParquetSink final : public Sink {
 public:
  static Result<std::unique_ptr<Sink>> Open(std::shared_ptr<arrow::io::OutputStream> output,
                                            const arrow::Schema& schema) {
    auto sink = std::make_unique<ParquetSink>();
    auto properties = parquet::WriterProperties::Builder()
                          .compression(parquet::Compression::ZSTD)
                          ->max_row_group_length(kMaxRowGroupRows)
                          ->build();
    // Without the Arrow schema, types that Parquet lacks would not come back.
    auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
    ARROW_ASSIGN_OR_RAISE(sink->writer_, parquet::arrow::FileWriter::Open(
                                             schema, arrow::default_memory_pool(),
                                             std::move(output), properties, arrow_properties));
    return sink;
  }

  Status Write(const arrow::RecordBatch& batch) override {
    if (group_bytes_ > kRowGroupBytes) {
      ARROW_RETURN_NOT_OK(writer_->NewBufferedRowGroup());
      group_bytes_ = 0;
    }
    ARROW_ASSIGN_OR_RAISE(int64_t bytes, arrow::util::ReferencedBufferSize(batch));
    group_bytes_ += bytes;
    return writer_->WriteRecordBatch(batch);
  }
  Status Close() override { return writer_->Close(); }

 private:
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  int64_t group_bytes_ = 0;
};

class BatchSink final : public Sink {
 public:
  explicit BatchSink(std::shared_ptr<arrow::ipc::RecordBatchWriter> writer)
      : writer_(std::move(writer)) {}
  Status Write(const arrow::RecordBatch& batch) override {
    return writer_->WriteRecordBatch(batch);
  }
  Status Close() override { return writer_->Close(); }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

bool FitsCsv(const arrow::DataType& type) {
  return arrow::is_primitive(type.id()) || arrow::is_base_binary_like(type.id()) ||
         arrow::is_decimal(type.id()) || type.id() == arrow::Type::NA ||
         type.id() == arrow::Type::FIXED_SIZE_BINARY;
}

Status CheckCsv(const arrow::Schema& schema) {
  for (const auto& field : schema.fields()) {
    if (FitsCsv(*field->type())) continue;
    return UserError("CSV can't hold column '", field->name(), "' of type ",
                     field->type()->ToString(),
                     "; leave it out with --columns, or export Parquet or Arrow");
  }
  return Status::OK();
}

// CSV knows no extension types: what they store is written.
class CsvSink final : public Sink {
 public:
  static Result<std::unique_ptr<Sink>> Open(std::shared_ptr<arrow::io::OutputStream> output,
                                            const arrow::Schema& schema) {
    auto sink = std::make_unique<CsvSink>();
    arrow::FieldVector fields;
    for (const auto& field : schema.fields()) fields.push_back(field->WithType(Stored(*field)));
    sink->schema_ = arrow::schema(std::move(fields));
    ARROW_RETURN_NOT_OK(CheckCsv(*sink->schema_));
    ARROW_ASSIGN_OR_RAISE(sink->writer_,
                          arrow::csv::MakeCSVWriter(std::move(output), sink->schema_));
    return sink;
  }

  Status Write(const arrow::RecordBatch& batch) override {
    arrow::ArrayVector columns = batch.columns();
    for (auto& column : columns) {
      if (column->type_id() != arrow::Type::EXTENSION) continue;
      column = static_cast<const arrow::ExtensionArray&>(*column).storage();
    }
    return writer_->WriteRecordBatch(
        *arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(columns)));
  }
  Status Close() override { return writer_->Close(); }

 private:
  static std::shared_ptr<arrow::DataType> Stored(const arrow::Field& field) {
    if (field.type()->id() != arrow::Type::EXTENSION) return field.type();
    return static_cast<const arrow::ExtensionType&>(*field.type()).storage_type();
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

Result<std::unique_ptr<Sink>> OpenSink(std::shared_ptr<arrow::io::OutputStream> output,
                                       const std::shared_ptr<arrow::Schema>& schema,
                                       FileFormat format) {
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer;
  switch (format) {
    case FileFormat::kParquet:
      return ParquetSink::Open(std::move(output), *schema);
    case FileFormat::kCsv:
      return CsvSink::Open(std::move(output), *schema);
    case FileFormat::kArrowFile: {
      ARROW_ASSIGN_OR_RAISE(writer, arrow::ipc::MakeFileWriter(std::move(output), schema));
      break;
    }
    case FileFormat::kArrowStream: {
      ARROW_ASSIGN_OR_RAISE(writer, arrow::ipc::MakeStreamWriter(std::move(output), schema));
      break;
    }
  }
  return std::make_unique<BatchSink>(std::move(writer));
}

Status WriteAll(arrow::RecordBatchReader& rows, const std::string& file, FileFormat format) {
  ARROW_ASSIGN_OR_RAISE(auto output, arrow::io::FileOutputStream::Open(file));
  ARROW_ASSIGN_OR_RAISE(auto sink, OpenSink(output, rows.schema(), format));
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, rows.Next());
    if (batch == nullptr) break;
    ARROW_RETURN_NOT_OK(sink->Write(*batch));
  }
  ARROW_RETURN_NOT_OK(sink->Close());
  return output->Close();
}

}  // namespace

Status WriteFile(arrow::RecordBatchReader& rows, const std::string& file, FileFormat format,
                 bool overwrite) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    return UserError("is a folder, not a file: ", file);
  }
  // Where a link leads to; the file itself if it is none.
  std::string target = std::filesystem::weakly_canonical(file, error).string();
  if (error) target = file;
  if (std::filesystem::exists(target, error)) {
    if (!overwrite) {
      return AlreadyExists("file exists: ", file, "; give --overwrite to replace it");
    }
    if (!std::filesystem::is_regular_file(target, error)) {
      return UserError("is no regular file and is not replaced: ", file);
    }
  }
  std::string partial = target + ".partial-" + std::to_string(getpid());
  Status status = WriteAll(rows, partial, format);
  if (status.ok()) {
    std::filesystem::rename(partial, target, error);
    if (error) status = IoError("can't rename ", partial, ": ", error.message());
  }
  if (status.ok()) return status;
  std::filesystem::remove(partial, error);
  return WithPlace(status, {.path = file});
}

}  // namespace lance::cli
