#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "arrow/result.h"
#include "arrow/status.h"
#include "arrow/type_fwd.h"
#include "lance/export.h"

/// The C++ API of Lance tables: open, read, write and version them.
///
/// Every call returns arrow::Result / arrow::Status; lance/error.h reads the code and place of an
/// error. Objects are handles to an immutable version of a table: they may be copied and used
/// from several threads.
namespace lance {

/// A version of a table: the newest (default), a number, or the name of a tag.
using VersionRef = std::variant<std::monostate, uint64_t, std::string>;

struct OpenOptions {
  VersionRef version = {};
  /// Nanoseconds since the epoch, UTC: the newest version committed strictly before. Not together
  /// with `version`.
  std::optional<int64_t> as_of_ns = {};
};

enum class WriteMode : uint8_t {
  kCreate,     ///< fail if there is a table
  kAppend,     ///< add rows; creates the table if there is none
  kOverwrite,  ///< new contents and schema as the next version; creates the table if there is none
};

struct WriteOptions {
  WriteMode mode = WriteMode::kCreate;
  uint64_t max_rows_per_file = 1ull << 20;
  uint64_t max_bytes_per_file = 90ull << 30;
  /// `2.1`, `2.2`, `stable`, …; default: the table's, or 2.2 for a new table. Files of an append
  /// may have another version than the table's others, unless one of the two is 0.1.
  std::optional<std::string> data_storage_version = {};
  /// Bytes of input buffered per file before pages are written, over all columns; default 8 MiB
  /// per column.
  std::optional<uint64_t> data_cache_bytes = {};
  /// Manifest names of a new table: `18446744073709551614.manifest` or `1.manifest`.
  bool enable_v2_manifest_paths = true;
  /// Rows of a new table get ids that survive updates and compaction.
  bool enable_stable_row_ids = false;
  std::optional<std::string> commit_message = {};
  std::map<std::string, std::string> transaction_properties = {};
};

struct ScanOptions {
  /// Top-level names or paths (`a.b`), also `_rowid` and `_rowaddr`; default all columns. An
  /// empty list gives batches without columns, but with row counts.
  std::optional<std::vector<std::string>> columns = {};
  std::optional<uint64_t> limit = {};
  uint64_t offset = 0;
  /// Rows per batch at most (batches end at fragment ends too); default 8192.
  std::optional<uint64_t> batch_size = {};
  /// Append `_rowid` / `_rowaddr` (uint64) after the columns.
  bool with_row_id = false;
  bool with_row_address = false;
  /// Ids of the fragments to read, in this order; default all, by ascending id.
  std::optional<std::vector<uint64_t>> fragments = {};
  /// Called on the thread that reads, between pieces of work of some milliseconds each; a failed
  /// status ends the scan with that status.
  std::function<arrow::Status()> poll = {};
};

struct DataFileInfo {
  std::string path;  ///< relative to the table's data folder
  std::vector<int32_t> fields;
  std::vector<int32_t> column_indices;
  uint32_t file_major_version = 0;
  uint32_t file_minor_version = 0;
  std::optional<uint64_t> file_size_bytes;
  std::optional<uint32_t> base_id;
};

struct DeletionFileInfo {
  std::string file_type;  ///< `array` or `bitmap`
  uint64_t read_version = 0;
  uint64_t id = 0;
  uint64_t num_deleted_rows = 0;
  std::optional<uint32_t> base_id;
  std::string path;  ///< relative to the table's root
};

struct FragmentInfo {
  uint64_t id = 0;
  std::vector<DataFileInfo> files;
  std::optional<DeletionFileInfo> deletion_file;
  uint64_t physical_rows = 0;
  uint64_t num_deletions = 0;
  uint64_t num_rows() const { return physical_rows - num_deletions; }
};

struct VersionInfo {
  uint64_t version = 0;
  int64_t timestamp_ns = 0;  ///< commit time, since the epoch, UTC
  /// total_fragments, total_data_files, total_files_size, total_deletion_files,
  /// total_data_file_rows, total_deletion_file_rows, total_rows
  std::map<std::string, std::string> metadata;
};

struct TagInfo {
  std::optional<std::string> branch;
  uint64_t version = 0;
  uint64_t manifest_size = 0;
  std::optional<std::string> created_at;  ///< RFC 3339
  std::optional<std::string> updated_at;
  std::map<std::string, std::string> metadata;
};

/// Reads from the store so far, by this handle and those made from it.
struct IoCounters {
  uint64_t reads = 0;
  uint64_t read_bytes = 0;
  uint64_t writes = 0;
  uint64_t written_bytes = 0;
};

class LANCE_EXPORT Dataset {
 public:
  /// Opens a table: a local path, `file://` or `memory://` URI. NotFound if there is none there.
  static arrow::Result<std::shared_ptr<Dataset>> Open(const std::string& uri,
                                                      const OpenOptions& options = {});

  /// Writes all batches of `data` and commits them as one version; on failure the table is
  /// as before. Memory stays bounded whatever the size of the source. Returns the new version.
  static arrow::Result<std::shared_ptr<Dataset>> Write(
      const std::string& uri, const std::shared_ptr<arrow::RecordBatchReader>& data,
      const WriteOptions& options = {});
  /// The same into the table of this handle. Appends go on top of the newest version.
  arrow::Result<std::shared_ptr<Dataset>> Insert(
      const std::shared_ptr<arrow::RecordBatchReader>& data, const WriteOptions& options) const;

  ~Dataset();

  const std::string& uri() const;
  uint64_t version() const;
  /// Commit time of this version, nanoseconds since the epoch.
  int64_t timestamp_ns() const;
  /// `2.2`
  std::string data_storage_version() const;
  std::shared_ptr<arrow::Schema> schema() const;
  /// Top-level and nested fields in pre-order with their ids.
  std::vector<std::pair<int32_t, std::string>> field_ids() const;
  int32_t max_field_id() const;
  bool has_stable_row_ids() const;
  std::map<std::string, std::string> config() const;
  std::map<std::string, std::string> table_metadata() const;

  arrow::Result<uint64_t> LatestVersion() const;
  arrow::Result<std::vector<VersionInfo>> Versions() const;
  VersionInfo Info() const;
  arrow::Result<std::map<std::string, TagInfo>> Tags() const;
  /// Another version of the same table.
  arrow::Result<std::shared_ptr<Dataset>> Checkout(const VersionRef& version) const;

  arrow::Result<uint64_t> CountRows() const;
  const std::vector<FragmentInfo>& fragments() const;

  /// Streams the rows in order; batches are decoded ahead in parallel within a memory bound.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Scan(
      const ScanOptions& options = {}) const;
  /// The schema that Scan(options) will have.
  arrow::Result<std::shared_ptr<arrow::Schema>> ScanSchema(const ScanOptions& options) const;
  /// The whole scan as a table, in large chunks.
  arrow::Result<std::shared_ptr<arrow::Table>> ToTable(const ScanOptions& options = {}) const;
  /// Rows by their position among the live rows, in the given order, duplicates kept. A position
  /// beyond the end is a user error. `columns` as in ScanOptions.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Take(
      std::span<const uint64_t> indices,
      const std::optional<std::vector<std::string>>& columns = std::nullopt) const;
  /// The same within one fragment (positions among its live rows).
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeFromFragment(
      uint64_t fragment_id, std::span<const uint64_t> indices,
      const std::optional<std::vector<std::string>>& columns = std::nullopt) const;

  IoCounters io_counters() const;

 private:
  struct Impl;
  explicit Dataset(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace lance
