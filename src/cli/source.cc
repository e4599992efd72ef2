// Reading Parquet, CSV and Arrow IPC files as streams of record batches.

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/csv/api.h"
#include "arrow/io/file.h"
#include "arrow/ipc/reader.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "cli/transfer.h"
#include "parquet/arrow/reader.h"
#include "parquet/file_reader.h"
#include "parquet/metadata.h"
#include "parquet/properties.h"

namespace lance::cli {
namespace {

// Bytes of decoded rows in one batch, as far as they can be estimated.
constexpr int64_t kBatchBytes = 16 << 20;
constexpr int64_t kMaxBatchRows = 1 << 16;
// The types of CSV columns are guessed from the first block, so that it should not be small.
constexpr int32_t kCsvBlockBytes = 16 << 20;
constexpr int64_t kParquetReadBytes = 1 << 20;

// ---- Parquet ----

// Parquet's readers number the fields in metadata; in a Lance table those numbers mean nothing.
std::shared_ptr<arrow::Field> WithoutParquetIds(const std::shared_ptr<arrow::Field>& field);

std::shared_ptr<arrow::DataType> WithoutParquetIds(const std::shared_ptr<arrow::DataType>& type) {
  arrow::FieldVector children;
  for (const auto& child : type->fields()) children.push_back(WithoutParquetIds(child));
  switch (type->id()) {
    case arrow::Type::STRUCT:
      return arrow::struct_(children);
    case arrow::Type::LIST:
      return arrow::list(children[0]);
    case arrow::Type::LARGE_LIST:
      return arrow::large_list(children[0]);
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(
          children[0], static_cast<const arrow::FixedSizeListType&>(*type).list_size());
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*type);
      return std::make_shared<arrow::MapType>(WithoutParquetIds(map.key_field()),
                                              WithoutParquetIds(map.item_field()),
                                              map.keys_sorted());
    }
    default:
      return type;
  }
}

std::shared_ptr<arrow::Field> WithoutParquetIds(const std::shared_ptr<arrow::Field>& field) {
  auto cleaned = field->WithType(WithoutParquetIds(field->type()));
  if (field->metadata() == nullptr) return cleaned;
  auto metadata = field->metadata()->Copy();
  if (!metadata->Contains("PARQUET:field_id")) return cleaned;
  (void)metadata->Delete("PARQUET:field_id");
  return metadata->size() == 0 ? cleaned->RemoveMetadata() : cleaned->WithMetadata(metadata);
}

class ParquetSource final : public arrow::RecordBatchReader {
 public:
  static Result<std::shared_ptr<arrow::RecordBatchReader>> Open(const std::string& file) {
    parquet::ReaderProperties properties = parquet::default_reader_properties();
    // Column chunks are read piecewise, not whole.
    properties.enable_buffered_stream();
    properties.set_buffer_size(kParquetReadBytes);
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.OpenFile(file, /*memory_map=*/false, properties));
    parquet::ArrowReaderProperties arrow_properties;
    arrow_properties.set_pre_buffer(false);
    arrow_properties.set_use_threads(true);
    arrow_properties.set_batch_size(BatchRows(*builder.raw_reader()->metadata()));
    builder.properties(arrow_properties);
    auto source = std::make_shared<ParquetSource>();
    ARROW_ASSIGN_OR_RAISE(source->file_, builder.Build());
    ARROW_ASSIGN_OR_RAISE(source->batches_, source->file_->GetRecordBatchReader());
    auto schema = source->batches_->schema();
    arrow::FieldVector fields;
    for (const auto& field : schema->fields()) fields.push_back(WithoutParquetIds(field));
    source->schema_ = arrow::schema(std::move(fields), schema->metadata());
    return source;
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(batches_->ReadNext(batch));
    if (*batch == nullptr) return Status::OK();
    *batch = arrow::RecordBatch::Make(schema_, (*batch)->num_rows(), (*batch)->columns());
    return Status::OK();
  }

 private:
  static int64_t BatchRows(const parquet::FileMetaData& metadata) {
    int64_t bytes = 0;
    for (int i = 0; i < metadata.num_row_groups(); ++i) {
      bytes += metadata.RowGroup(i)->total_byte_size();
    }
    int64_t row_bytes = bytes / std::max<int64_t>(metadata.num_rows(), 1);
    return std::clamp<int64_t>(kBatchBytes / std::max<int64_t>(row_bytes, 1), 1, kMaxBatchRows);
  }

  // The batches read through the file: it is destroyed after them.
  std::unique_ptr<parquet::arrow::FileReader> file_;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::shared_ptr<arrow::Schema> schema_;
};

// ---- CSV ----

Result<std::shared_ptr<arrow::RecordBatchReader>> OpenCsv(const std::string& file) {
  ARROW_ASSIGN_OR_RAISE(auto input, arrow::io::ReadableFile::Open(file));
  auto read = arrow::csv::ReadOptions::Defaults();
  read.block_size = kCsvBlockBytes;
  auto parse = arrow::csv::ParseOptions::Defaults();
  parse.newlines_in_values = true;
  auto convert = arrow::csv::ConvertOptions::Defaults();
  // `NA` and nothing at all are null, "NA" and "" in quotes are text: what exports write.
  convert.strings_can_be_null = true;
  convert.quoted_strings_can_be_null = false;
  return arrow::csv::StreamingReader::Make(arrow::io::default_io_context(), input, read, parse,
                                           convert);
}

// ---- Arrow IPC ----

class ArrowFileSource final : public arrow::RecordBatchReader {
 public:
  explicit ArrowFileSource(std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader)
      : reader_(std::move(reader)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    if (next_ == reader_->num_record_batches()) {
      batch->reset();
      return Status::OK();
    }
    return reader_->ReadRecordBatch(next_++).Value(batch);
  }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
  int next_ = 0;
};

// Both kinds of IPC go by the same names: the magic number at the start tells them apart.
Result<std::shared_ptr<arrow::RecordBatchReader>> OpenArrow(const std::string& file) {
  ARROW_ASSIGN_OR_RAISE(auto input, arrow::io::ReadableFile::Open(file));
  constexpr std::string_view kMagic = "ARROW1";
  std::array<char, kMagic.size()> start{};
  ARROW_ASSIGN_OR_RAISE(int64_t size, input->ReadAt(0, start.size(), start.data()));
  if (std::string_view(start.data(), size) == kMagic) {
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(input));
    return std::make_shared<ArrowFileSource>(std::move(reader));
  }
  ARROW_RETURN_NOT_OK(input->Seek(0));
  return arrow::ipc::RecordBatchStreamReader::Open(input);
}

Result<std::shared_ptr<arrow::RecordBatchReader>> Open(const std::string& file, FileFormat format) {
  switch (format) {
    case FileFormat::kParquet:
      return ParquetSource::Open(file);
    case FileFormat::kCsv:
      return OpenCsv(file);
    case FileFormat::kArrowFile:
    case FileFormat::kArrowStream:
      return OpenArrow(file);
  }
  return UserError("unknown file format");
}

}  // namespace

Result<FileFormat> FormatOf(const std::string& file, const std::optional<FileFormat>& asked) {
  if (asked) return *asked;
  std::string extension = std::filesystem::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (extension == ".parquet" || extension == ".pq") return FileFormat::kParquet;
  if (extension == ".csv") return FileFormat::kCsv;
  if (extension == ".arrow" || extension == ".ipc" || extension == ".feather") {
    return FileFormat::kArrowFile;
  }
  if (extension == ".arrows") return FileFormat::kArrowStream;
  return UserError("can't tell the format of the file from its name: ", file,
                   "; give --format parquet, csv, arrow or arrows");
}

Result<std::shared_ptr<arrow::RecordBatchReader>> OpenSource(const std::string& file,
                                                             FileFormat format) {
  std::error_code error;
  auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) return NotFound("file not found: ", file);
  if (std::filesystem::is_directory(status)) return UserError("is a folder, not a file: ", file);
  auto source = Open(file, format);
  if (!source.ok()) return WithPlace(source.status(), {.path = file});
  return source;
}

}  // namespace lance::cli
