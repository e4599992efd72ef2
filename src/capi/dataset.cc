#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/c/bridge.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "capi/arguments.h"
#include "capi/error_out.h"
#include "lance/c.h"
#include "lance/dataset.h"

struct LanceDataset {
  std::shared_ptr<lance::Dataset> dataset;
};

namespace lance::capi {
namespace {

Result<LanceDataset*> NewHandle(std::shared_ptr<Dataset> dataset) {
  return new LanceDataset{std::move(dataset)};
}

Status OpenInto(const char* uri, VersionRef version, LanceDataset** out) {
  OpenOptions options;
  options.version = std::move(version);
  ARROW_ASSIGN_OR_RAISE(auto dataset, Dataset::Open(uri, options));
  return NewHandle(std::move(dataset)).Value(out);
}

Status NumberInto(uint64_t number, std::string_view what, int64_t* out) {
  if (!std::in_range<int64_t>(number)) {
    return Corrupt("number does not fit into 63 bits: ", what, " is ", number);
  }
  *out = static_cast<int64_t>(number);
  return Status::OK();
}

// Releases what the caller handed over, whatever way the call takes.
class StreamOwner {
 public:
  explicit StreamOwner(ArrowArrayStream* stream) : stream_(stream) {}
  ~StreamOwner() {
    if (stream_->release != nullptr) stream_->release(stream_);
  }
  StreamOwner(const StreamOwner&) = delete;
  StreamOwner& operator=(const StreamOwner&) = delete;

 private:
  ArrowArrayStream* stream_;
};

Status WriteStream(const char* uri, ArrowArrayStream* stream, const LanceWriteOptions* options,
                   LanceDataset** out) {
  ARROW_RETURN_NOT_OK(CheckNotNull(stream, "stream"));
  if (stream->release == nullptr) {
    return UserError("stream is already released; give a live ArrowArrayStream");
  }
  StreamOwner owner(stream);
  ARROW_RETURN_NOT_OK(CheckNotNull(uri, "uri"));
  ARROW_ASSIGN_OR_RAISE(WriteOptions write_options, ToWriteOptions(options));
  // The import moves the stream out of the caller's structure.
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ImportRecordBatchReader(stream));
  ARROW_ASSIGN_OR_RAISE(auto dataset, Dataset::Write(uri, reader, write_options));
  if (out == nullptr) return Status::OK();
  return NewHandle(std::move(dataset)).Value(out);
}

Status TakeInto(const Dataset& dataset, const int64_t* indices, int64_t num_indices,
                const char* const* columns, int64_t num_columns, ArrowArray* out_array,
                ArrowSchema* out_schema) {
  ARROW_RETURN_NOT_OK(CheckNotNull(out_array, "out_array"));
  ARROW_RETURN_NOT_OK(CheckNotNull(out_schema, "out_schema"));
  ARROW_ASSIGN_OR_RAISE(uint64_t count, CheckNotNegative(num_indices, "num_indices"));
  if (count > 0) ARROW_RETURN_NOT_OK(CheckNotNull(indices, "indices"));
  std::vector<uint64_t> positions(count);
  for (uint64_t i = 0; i < count; ++i) {
    if (indices[i] < 0) {
      return UserError("argument must not be negative: indices[", i, "] is ", indices[i]);
    }
    positions[i] = static_cast<uint64_t>(indices[i]);
  }
  ARROW_ASSIGN_OR_RAISE(auto names, CheckColumns(columns, num_columns));
  ARROW_ASSIGN_OR_RAISE(auto batch, dataset.Take(positions, names));
  return arrow::ExportRecordBatch(*batch, out_array, out_schema);
}

}  // namespace
}  // namespace lance::capi

using lance::capi::CheckNotNull;
using lance::capi::Guarded;

extern "C" {

const char* lance_library_version(void) { return LANCE_VERSION; }

LanceErrorCode lance_dataset_open(const char* uri, int64_t version, LanceDataset** out,
                                  LanceError** error) {
  return Guarded(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(CheckNotNull(uri, "uri"));
    ARROW_RETURN_NOT_OK(CheckNotNull(out, "out"));
    ARROW_ASSIGN_OR_RAISE(uint64_t number, lance::capi::CheckNotNegative(version, "version"));
    lance::VersionRef reference;
    if (number > 0) reference = number;
    return lance::capi::OpenInto(uri, std::move(reference), out);
  });
}

LanceErrorCode lance_dataset_open_tag(const char* uri, const char* tag, LanceDataset** out,
                                      LanceError** error) {
  return Guarded(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(CheckNotNull(uri, "uri"));
    ARROW_RETURN_NOT_OK(CheckNotNull(tag, "tag"));
    ARROW_RETURN_NOT_OK(CheckNotNull(out, "out"));
    return lance::capi::OpenInto(uri, std::string(tag), out);
  });
}

void lance_dataset_close(LanceDataset* dataset) { delete dataset; }

LanceErrorCode lance_dataset_version(const LanceDataset* dataset, int64_t* out,
                                     LanceError** error) {
  return Guarded(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(CheckNotNull(dataset, "dataset"));
    ARROW_RETURN_NOT_OK(CheckNotNull(out, "out"));
    return lance::capi::NumberInto(dataset->dataset->version(), "version", out);
  });
}

LanceErrorCode lance_dataset_latest_version(const LanceDataset* dataset, int64_t* out,
                                            LanceError** error) {
  return Guarded(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(CheckNotNull(dataset, "dataset"));
    ARROW_RETURN_NOT_OK(CheckNotNull(out, "out"));
    ARROW_ASSIGN_OR_RAISE(uint64_t latest, dataset->dataset->LatestVersion());
    return lance::capi::NumberInto(latest, "version", out);
  });
}

LanceErrorCode lance_dataset_count_rows(const LanceDataset* dataset, int64_t* out,
                                        LanceError** error) {
  return Guarded(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(CheckNotNull(dataset, "dataset"));
    ARROW_RETURN_NOT_OK(CheckNotNull(out, "out"));
    ARROW_ASSIGN_OR_RAISE(uint64_t rows, dataset->dataset->CountRows());
    return lance::capi::NumberInto(rows, "count of rows", out);
  });
}

LanceErrorCode lance_dataset_schema(const LanceDataset* dataset, struct ArrowSchema* out,
                                    LanceError** error) {
  return Guarded(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(CheckNotNull(dataset, "dataset"));
    ARROW_RETURN_NOT_OK(CheckNotNull(out, "out"));
    return arrow::ExportSchema(*dataset->dataset->schema(), out);
  });
}

LanceErrorCode lance_dataset_scan(const LanceDataset* dataset, const LanceScanOptions* options,
                                  struct ArrowArrayStream* out, LanceError** error) {
  return Guarded(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(CheckNotNull(dataset, "dataset"));
    ARROW_RETURN_NOT_OK(CheckNotNull(out, "out"));
    ARROW_ASSIGN_OR_RAISE(lance::ScanOptions scan, lance::capi::ToScanOptions(options));
    ARROW_ASSIGN_OR_RAISE(auto reader, dataset->dataset->Scan(scan));
    return arrow::ExportRecordBatchReader(std::move(reader), out);
  });
}

LanceErrorCode lance_dataset_take(const LanceDataset* dataset, const int64_t* indices,
                                  int64_t num_indices, const char* const* columns,
                                  int64_t num_columns, struct ArrowArray* out_array,
                                  struct ArrowSchema* out_schema, LanceError** error) {
  return Guarded(error, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(CheckNotNull(dataset, "dataset"));
    return lance::capi::TakeInto(*dataset->dataset, indices, num_indices, columns, num_columns,
                                 out_array, out_schema);
  });
}

LanceErrorCode lance_dataset_write(const char* uri, struct ArrowArrayStream* stream,
                                   const LanceWriteOptions* options, LanceDataset** out,
                                   LanceError** error) {
  return Guarded(error, [&]() -> arrow::Status {
    return lance::capi::WriteStream(uri, stream, options, out);
  });
}

}  // extern "C"
