#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/context.h"
#include "file/version.h"
#include "io/object_store.h"
#include "schema/schema.h"

namespace lance {

struct FileWriteOptions {
  /// 2.0 or later.
  FileVersion version = kDefaultFileVersion;
  /// Bytes of input buffered per column before a page is written. Default 8 MiB, as the
  /// reference.
  uint64_t page_bytes = 8ull << 20;
  /// Of all columns together, before the largest are written; but at least 256 KiB a column, so
  /// that pages of wide tables are worth a read.
  uint64_t buffer_bytes = 7ull << 20;
  /// 2.0: of a page at most, as far as rows can be split; at least 1. Later versions have chunks
  /// within their pages.
  std::optional<uint64_t> max_page_bytes = {};

  /// Shares `bytes` among the columns of so many top-level fields: `data_cache_bytes` of the API.
  void ShareCache(uint64_t bytes, size_t fields);
};

struct FileWriteResult {
  uint64_t num_rows = 0;
  uint64_t size_bytes = 0;
  /// What a manifest's DataFile lists: the ids of the fields that have a column, and where it is.
  std::vector<int32_t> field_ids;
  std::vector<int32_t> column_indices;
};

/// Writes one data file, batch by batch; memory stays bounded by the page buffers. Nothing is
/// visible in the store before Finish(). Not thread-safe (columns are encoded in parallel inside).
class FileWriter {
 public:
  static Result<std::unique_ptr<FileWriter>> Open(const Context& context,
                                                  std::unique_ptr<ObjectWriter> writer,
                                                  Schema schema, FileWriteOptions options = {});
  ~FileWriter();

  /// Columns are matched by name; types must be those of the schema (views, and extension types
  /// over the right storage, are taken too). A null in a non-nullable field is a user error.
  Status WriteBatch(const arrow::RecordBatch& batch);
  /// Writes bytes that only values of a column point to; returns their position in the file.
  Result<uint64_t> WriteBlob(Bytes bytes);
  /// Extra key of the schema metadata stored in the file.
  void AddSchemaMetadata(std::string key, std::string value);
  /// Returns the index of the buffer (1, 2, …).
  Result<uint32_t> AddGlobalBuffer(Bytes bytes);

  uint64_t num_rows() const;
  /// Bytes handed to the store so far plus those buffered for the next pages.
  uint64_t estimated_bytes() const;

  Result<FileWriteResult> Finish();

 private:
  struct Impl;
  explicit FileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lance
