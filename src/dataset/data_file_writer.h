#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "arrow/type_fwd.h"
#include "base/context.h"
#include "dataset/blob_writer.h"
#include "dataset/json_values.h"
#include "dataset/new_files.h"
#include "file/file_writer.h"
#include "table.pb.h"
#include "table/table_paths.h"

namespace lance {

struct DataFileOptions {
  FileWriteOptions file;
  BlobWriteOptions blobs;
  JsonSource json = JsonSource::kTrusted;
};

/// Writes one data file into a folder, under a new name that is added to `files`.
class DataFileWriter {
 public:
  static Result<std::unique_ptr<DataFileWriter>> Open(const Context& context,
                                                      const DataFolder& folder,
                                                      const Schema& schema,
                                                      const DataFileOptions& options,
                                                      NewFiles* files);

  /// What is given becomes what the file's schema declares. Errors count rows from `first_row`.
  Status WriteBatch(std::shared_ptr<arrow::RecordBatch> batch, int64_t first_row = 0);
  uint64_t num_rows() const { return file_->num_rows(); }
  uint64_t estimated_bytes() const { return file_->estimated_bytes(); }
  /// The file as a manifest lists it.
  Result<table::DataFile> Finish();
  /// The file as the only one of a new fragment.
  Result<table::DataFragment> FinishFragment();

 private:
  explicit DataFileWriter(const Context& context) : context_(context) {}

  Context context_;
  std::string name_;
  std::optional<uint32_t> base_id_;
  Schema schema_;
  FileVersion version_ = kDefaultFileVersion;
  JsonSource json_ = JsonSource::kTrusted;
  std::unique_ptr<FileWriter> file_;
  /// Only for schemas with blobs (v2).
  std::unique_ptr<BlobWriter> blobs_;
};

}  // namespace lance
