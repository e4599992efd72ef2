#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "arrow/type_fwd.h"
#include "base/byte_reader.h"
#include "base/context.h"
#include "dataset/new_files.h"
#include "file/file_writer.h"
#include "lance/dataset.h"
#include "table/base_paths.h"
#include "table/table_paths.h"

namespace lance {

/// How the values of blob columns are stored.
struct BlobWriteOptions {
  ExternalBlobMode external = ExternalBlobMode::kReference;
  /// References to objects that are below none of `bases`.
  bool allow_external_outside_bases = false;
  /// For columns that don't say how large a file of packed values may become.
  std::optional<uint64_t> pack_file_bytes = {};
  /// The base paths of the table, by id.
  std::map<uint32_t, std::string> bases = {};
};

/// Stores the values of the blob columns (v2) of one data file: small ones in the file itself,
/// others beside it, references as they are (spec/table-format.md §13.2). Not thread-safe.
class BlobWriter {
 public:
  /// `file` and `files` outlive the writer; new files are added to `files`.
  BlobWriter(const Context& context, const StoreLocation& data_file, BlobWriteOptions options,
             FileWriter* file, NewFiles* files);
  ~BlobWriter();

  /// The batch with descriptors in the place of values. Fields of `schema` and columns are matched
  /// by name.
  Result<std::shared_ptr<arrow::RecordBatch>> Store(const Schema& schema,
                                                    const arrow::RecordBatch& batch);
  /// Ends the last file of packed values.
  Status Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// For rows that are written again: their references stay as they are.
BlobWriteOptions RewriteBlobs(const BasePaths& bases);

}  // namespace lance
