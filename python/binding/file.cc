#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrow/buffer.h"
#include "arrow/record_batch.h"
#include "arrow_exchange.h"
#include "batch_reader.h"
#include "bindings.h"
#include "errors.h"
#include "file/file_batches.h"
#include "file/file_reader.h"
#include "file/file_writer.h"
#include "file/inspect.h"
#include "row_positions.h"

namespace nb = nanobind;
using namespace nanobind::literals;  // NOLINT: "name"_a

namespace lance::python {
namespace {

using Columns = std::optional<std::vector<std::string>>;

/// One open data file, and the columns of it that are read.
class FileSource final {
 public:
  static std::unique_ptr<FileSource> Open(const std::string& uri, const Columns& columns) {
    auto source = std::make_unique<FileSource>();
    Check(WithoutGil([&] { return source->DoOpen(uri, columns); }));
    return source;
  }

  uint64_t num_rows() const { return reader_->num_rows(); }
  nb::object Schema() const { return ToPython(Unwrap(reader_->schema().ToArrow())); }

  std::unique_ptr<BatchReader> ReadRange(uint64_t start, uint64_t count,
                                         uint64_t batch_rows) const {
    return Read({{start, count}}, batch_rows);
  }

  /// Positions in strictly ascending order.
  std::unique_ptr<BatchReader> TakeRows(nb::handle indices, uint64_t batch_rows) const {
    std::vector<RowRange> rows;
    for (uint64_t row : RowPositionsFromPython(indices)) {
      if (!rows.empty() && rows.back().end() == row) {
        ++rows.back().count;
      } else {
        rows.push_back({row, 1});
      }
    }
    return Read(std::move(rows), batch_rows);
  }

  nb::bytes GlobalBuffer(uint64_t index) const {
    auto buffer = Unwrap(WithoutGil([&] { return reader_->ReadGlobalBuffer(context_, index); }));
    return nb::bytes(reinterpret_cast<const char*>(buffer->data()),
                     static_cast<size_t>(buffer->size()));
  }

  FileInspection Inspect() const {
    return Unwrap(WithoutGil([&] { return InspectFile(context_, *object_); }));
  }

 private:
  Status DoOpen(const std::string& uri, const Columns& columns) {
    ARROW_ASSIGN_OR_RAISE(StoreLocation location, ResolveUri(uri));
    ARROW_ASSIGN_OR_RAISE(object_, location.store->OpenReader(context_, location.path));
    ARROW_ASSIGN_OR_RAISE(reader_, FileReader::Open(context_, object_));
    return (columns ? reader_->Project(*columns) : reader_->Project()).Value(&projection_);
  }

  std::unique_ptr<BatchReader> Read(std::vector<RowRange> rows, uint64_t batch_rows) const {
    return std::make_unique<BatchReader>(Unwrap(WithoutGil([&] {
      return ReadInBatches(context_, reader_, projection_, std::move(rows), batch_rows);
    })));
  }

  Context context_;
  std::shared_ptr<RandomReader> object_;
  std::shared_ptr<FileReader> reader_;
  FileProjection projection_;
};

/// Writes one data file. Without a schema the first batch tells it; what is given before that is
/// kept until then.
class FileSink final {
 public:
  /// `schema`: a table with it, or None.
  FileSink(std::string uri, nb::handle schema, std::optional<uint64_t> data_cache_bytes,
           const std::optional<std::string>& version, std::optional<uint64_t> max_page_bytes)
      : uri_(std::move(uri)), data_cache_bytes_(data_cache_bytes) {
    options_.max_page_bytes = max_page_bytes;
    if (version) options_.version = Unwrap(ParseFileVersion(*version));
    if (schema.is_none()) return;
    auto arrow_schema = ReaderFromPython(schema)->schema();
    Check(WithoutGil([&] { return Open(*arrow_schema); }));
  }

  void WriteBatch(nb::handle data) {
    auto batches = ReaderFromPython(data);
    Check(WithoutGil([&] { return Write(*batches); }));
  }

  void AddSchemaMetadata(const std::string& key, const std::string& value) {
    if (writer_ != nullptr) {
      writer_->AddSchemaMetadata(key, value);
    } else {
      early_metadata_[key] = value;
    }
  }

  uint32_t AddGlobalBuffer(const nb::bytes& bytes) {
    std::string text(bytes.c_str(), bytes.size());
    if (writer_ != nullptr) {
      return Unwrap(WithoutGil([&] { return writer_->AddGlobalBuffer(AsBytes(text)); }));
    }
    early_buffers_.push_back(std::move(text));
    return static_cast<uint32_t>(early_buffers_.size());
  }

  /// Rows and bytes of the file.
  std::pair<uint64_t, uint64_t> Finish() {
    FileWriteResult result = Unwrap(WithoutGil([&]() -> Result<FileWriteResult> {
      if (writer_ == nullptr) {
        return UserError(
            "No schema provided on writer open and no data provided.  Schema is "
            "unknown and file cannot be created");
      }
      return writer_->Finish();
    }));
    return {result.num_rows, result.size_bytes};
  }

 private:
  Status Open(const arrow::Schema& arrow_schema) {
    ARROW_ASSIGN_OR_RAISE(Schema schema, Schema::FromArrow(arrow_schema));
    if (data_cache_bytes_) options_.ShareCache(*data_cache_bytes_, schema.fields.size());
    ARROW_ASSIGN_OR_RAISE(StoreLocation location, ResolveUri(uri_));
    ARROW_ASSIGN_OR_RAISE(auto object, location.store->OpenWriter(context_, location.path));
    ARROW_ASSIGN_OR_RAISE(
        writer_, FileWriter::Open(context_, std::move(object), std::move(schema), options_));
    for (auto& [key, value] : early_metadata_) writer_->AddSchemaMetadata(key, value);
    for (const std::string& bytes : early_buffers_) {
      ARROW_RETURN_NOT_OK(writer_->AddGlobalBuffer(AsBytes(bytes)).status());
    }
    early_buffers_.clear();
    return Status::OK();
  }

  Status Write(arrow::RecordBatchReader& batches) {
    if (writer_ == nullptr) ARROW_RETURN_NOT_OK(Open(*batches.schema()));
    for (;;) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(batches.ReadNext(&batch));
      if (batch == nullptr) return Status::OK();
      ARROW_RETURN_NOT_OK(writer_->WriteBatch(*batch));
    }
  }

  Context context_;
  std::string uri_;
  FileWriteOptions options_;
  std::optional<uint64_t> data_cache_bytes_;
  std::unique_ptr<FileWriter> writer_;
  std::map<std::string, std::string> early_metadata_;
  std::vector<std::string> early_buffers_;
};

}  // namespace

void BindFile(nb::module_& module) {
  nb::class_<ByteRange>(module, "ByteRange")
      .def_ro("offset", &ByteRange::offset)
      .def_ro("size", &ByteRange::size);
  nb::class_<FileInspection::Page>(module, "PageInspection")
      .def_ro("encoding", &FileInspection::Page::encoding)
      .def_ro("buffers", &FileInspection::Page::buffers);
  nb::class_<FileInspection::Column>(module, "ColumnInspection")
      .def_ro("pages", &FileInspection::Column::pages)
      .def_ro("buffers", &FileInspection::Column::buffers);
  nb::class_<FileInspection>(module, "FileInspection")
      .def_ro("major_version", &FileInspection::footer_major_version)
      .def_ro("minor_version", &FileInspection::footer_minor_version)
      .def_ro("rows", &FileInspection::rows)
      .def_ro("column_metadata_offset", &FileInspection::column_metadata_offset)
      .def_ro("column_metadata_bytes", &FileInspection::column_metadata_bytes)
      .def_ro("global_buffers", &FileInspection::global_buffers)
      .def_ro("columns", &FileInspection::columns);

  nb::class_<FileSource>(module, "FileReader")
      .def_static("open", &FileSource::Open, "uri"_a, "columns"_a.none() = nb::none())
      .def_prop_ro("num_rows", &FileSource::num_rows)
      .def_prop_ro("schema", &FileSource::Schema)
      .def("read_range", &FileSource::ReadRange, "start"_a, "num_rows"_a, "batch_size"_a)
      .def("take_rows", &FileSource::TakeRows, "indices"_a, "batch_size"_a)
      .def("read_global_buffer", &FileSource::GlobalBuffer, "index"_a)
      .def("inspect", &FileSource::Inspect);

  nb::class_<FileSink>(module, "FileWriter")
      .def(nb::init<std::string, nb::handle, std::optional<uint64_t>,
                    const std::optional<std::string>&, std::optional<uint64_t>>(),
           "uri"_a, "schema"_a.none(), "data_cache_bytes"_a.none() = nb::none(),
           "version"_a.none() = nb::none(), "max_page_bytes"_a.none() = nb::none())
      .def("write_batch", &FileSink::WriteBatch, "batch"_a)
      .def("add_schema_metadata", &FileSink::AddSchemaMetadata, "key"_a, "value"_a)
      .def("add_global_buffer", &FileSink::AddGlobalBuffer, "data"_a)
      .def("finish", &FileSink::Finish);
}

}  // namespace lance::python
