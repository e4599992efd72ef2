#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arrow/result.h"
#include "arrow/status.h"
#include "arrow/type_fwd.h"
#include "lance/blob.h"
#include "lance/export.h"

/// The C++ API of Lance tables: open, read, write and version them.
///
/// Every call returns arrow::Result / arrow::Status; lance/error.h reads the code and place of an
/// error. Objects are handles to an immutable version of a table: they may be copied and used
/// from several threads.
namespace lance {

class Snapshot;

/// A version on a branch; default the newest one, and the main branch.
struct BranchVersion {
  std::optional<std::string> branch = {};
  std::optional<uint64_t> version = {};
};
/// A version of a table: the newest (default), a number, the name of a tag, or one of a branch.
using VersionRef = std::variant<std::monostate, uint64_t, std::string, BranchVersion>;

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

/// What becomes of blobs that are given as references.
enum class ExternalBlobMode : uint8_t {
  kReference,  ///< the reference is stored
  kIngest,     ///< the bytes are copied into the table
};

/// Called on the thread of the call, between pieces of work of some milliseconds each; a failed
/// status ends the call with that status.
using Poll = std::function<arrow::Status()>;

/// Another place that files of a table may lie in.
struct BasePathInfo {
  uint32_t id = 0;  ///< 0: the next unused one
  std::optional<std::string> name = {};
  /// Whether data files lie in its folder `data`, or directly in it.
  bool is_dataset_root = false;
  std::string path;
};

/// Where new data files go; default the table's own folder. Files take turns in going to several
/// places.
struct WriteTargets {
  /// Base paths by their names or paths; the table's URI stands for its own folder.
  std::vector<std::string> bases = {};
  /// Every base path, with true after the table's own folder. Not together with `bases`.
  std::optional<bool> all_bases = {};
};

/// Hears of the fragments that a write makes, on the thread that writes. An error ends the write.
struct WriteProgress {
  /// One is about to be written.
  std::function<arrow::Status()> begin = {};
  /// It is complete, though no version has it: its message (`lance.table.DataFragment`), without
  /// id.
  std::function<arrow::Status(const std::string& fragment)> complete = {};
};

struct WriteOptions {
  WriteMode mode = WriteMode::kCreate;
  uint64_t max_rows_per_file = 1ull << 20;
  uint64_t max_bytes_per_file = 90ull << 30;
  /// `2.1`, `2.2`, `stable`, …; default: the table's, or 2.2 for a new table. Files of an append
  /// may have another version than the table's others, unless one of the two is 0.1.
  std::optional<std::string> data_storage_version = {};
  /// Bytes of input buffered per file before pages are written, shared by the columns; default 7
  /// MiB, but at least 256 KiB per column.
  std::optional<uint64_t> data_cache_bytes = {};
  /// Of a page at most, as far as rows can be split; only files of version 2.0 have such pages, in
  /// later ones chunks within them are as small. At least 1.
  std::optional<uint64_t> max_page_bytes = {};
  /// Manifest names of a new table: `18446744073709551614.manifest` or `1.manifest`.
  bool enable_v2_manifest_paths = true;
  /// Rows of a new table get ids that survive updates and compaction.
  bool enable_stable_row_ids = false;
  /// Whether a new table has semantic types; default only if its files are of version 2.3 or later.
  std::optional<bool> semantic_types = {};
  std::optional<std::string> commit_message = {};
  std::map<std::string, std::string> transaction_properties = {};
  /// Table config that a new table or an overwrite sets.
  std::map<std::string, std::string> config = {};
  ExternalBlobMode external_blob_mode = ExternalBlobMode::kReference;
  /// References to objects that are not below one of the table's base paths.
  bool allow_external_blob_outside_bases = false;
  /// A file of packed blob values may grow to so many bytes, where the column doesn't say; default
  /// 1 GiB.
  std::optional<uint64_t> blob_pack_file_size_threshold = {};
  /// Base paths of a new table.
  std::vector<BasePathInfo> initial_bases = {};
  WriteTargets targets = {};
  WriteProgress progress = {};
};

/// What is read of blob columns.
enum class BlobHandling : uint8_t {
  kDescriptions,  ///< structs that say where the bytes are
  kBytes,         ///< the bytes, as large_binary
  kValues,        ///< what can be written again: bytes, or the references of external blobs
};

/// What a scan that came to its end has taken.
struct ScanStatistics {
  uint64_t reads = 0;  ///< requests to the store
  uint64_t read_bytes = 0;
  uint64_t fragments = 0;  ///< that rows were read of
  uint64_t rows = 0;       ///< that were read, before filters
  /// By the step of the plan, summed over threads.
  std::map<std::string, uint64_t> nanoseconds = {};
};

/// A set of rows as ScanOptions::row_allowlist takes it: 32-bit Roaring bitmaps of the lower halves
/// of the ids, by their upper halves.
LANCE_EXPORT std::string SerializeRowIds(std::span<const uint64_t> row_ids);

/// A column that rows are put in order by.
struct SortKey {
  std::string column;  ///< a top-level name, or the path of a member (`a.b`)
  bool ascending = true;
  bool nulls_first = false;
};

/// Gets the batches of a scan.
using BatchSink = std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>;

struct ScanOptions {
  /// Top-level names or paths (`a.b`), also `_rowid`, `_rowaddr` and `_rowoffset` (the position
  /// among the live rows), `*` for all columns of the table; default all columns. An empty list
  /// gives batches without columns, but with row counts.
  std::optional<std::vector<std::string>> columns = {};
  /// Instead of `columns`: names of the result's columns, each with the SQL expression that
  /// computes it.
  std::optional<std::vector<std::pair<std::string, std::string>>> expressions = {};
  /// An SQL condition: only rows for which it is true are returned. Columns that it doesn't use are
  /// read of those rows only.
  std::optional<std::string> filter = {};
  /// The same as a serialized Substrait ExtendedExpression with one expression; its columns are
  /// those of schema(), then `_rowid`, `_rowaddr`, `_row_created_at_version`,
  /// `_row_last_updated_at_version` and `_rowoffset`. Not together with `filter`.
  std::optional<std::string> substrait_filter = {};
  /// Of the rows that pass the filter.
  std::optional<uint64_t> limit = {};
  uint64_t offset = 0;
  /// Rows per batch at most (batches end at fragment ends too); default 8192. What a filter leaves
  /// of several is put together.
  std::optional<uint64_t> batch_size = {};
  /// Every batch but the last has just as many rows.
  bool strict_batch_size = false;
  /// About so many bytes per batch, if that is fewer rows. Not together with strict_batch_size.
  std::optional<uint64_t> batch_size_bytes = {};
  /// The order of the rows, before offset and limit: by the first key, where that is equal by the
  /// next, at last by their order in the table. NaN is above all numbers. Default: that of the
  /// table.
  std::vector<SortKey> order_by = {};
  /// Append `_rowid` / `_rowaddr` (uint64) after the columns.
  bool with_row_id = false;
  bool with_row_address = false;
  /// Ids of the fragments to read, in this order; default all, by ascending id.
  std::optional<std::vector<uint64_t>> fragments = {};
  /// Also the rows that were deleted but are still stored. Their `_rowid` and `_rowaddr` are null,
  /// also for the filter; needs with_row_id.
  bool include_deleted_rows = false;
  /// Of the rows with these `_rowid`s only, and of none with those: sets as SerializeRowIds() makes
  /// them.
  std::optional<std::string> row_allowlist = {};
  std::optional<std::string> row_blocklist = {};
  /// Called once by Scan() and ToTable(), when all rows were returned.
  std::function<void(const ScanStatistics&)> on_done = {};
  /// On the thread that reads.
  Poll poll = {};
  BlobHandling blob_handling = BlobHandling::kDescriptions;
  /// Of a table with semantic types: by path the output encoding that a field is returned in,
  /// instead of its own.
  std::map<std::string, std::string> output_encodings = {};
};

/// A field of a table as engines see it, whatever its layout.
struct SemanticField {
  int32_t id = 0;
  std::string path;
  std::string semantic_type;  ///< `string`, `decimal:10:2`, `blob` …
  std::string parameters;     ///< `precision=10, scale=2`; empty if there are none
  /// That reads without a wish of their own have.
  std::optional<std::string> output_encoding;
  bool is_default_encoding = true;
  /// What the table says, known here or not; nothing: the default of the type.
  std::optional<std::string> recorded_encoding;
  std::optional<std::string> extension;
  bool nullable = true;
};

struct PlanDetail {
  std::string name;
  std::string value;
};
struct PlanMetrics {
  uint64_t rows = 0;  ///< that came out of the step
  uint64_t reads = 0;
  uint64_t read_bytes = 0;
  uint64_t nanoseconds = 0;  ///< summed over threads
};
/// A step of a scan, and those that feed it.
struct PlanNode {
  std::string step;
  std::vector<PlanDetail> details = {};
  /// What is only of interest sometimes.
  std::vector<PlanDetail> more_details = {};
  std::optional<PlanMetrics> metrics = {};
  std::vector<PlanNode> inputs = {};
};
/// A line for each step, indented below the step that it feeds.
LANCE_EXPORT std::string PlanToText(const PlanNode& plan, bool verbose = false);

/// How a row is named.
enum class RowKey : uint8_t {
  kIndex,    ///< position among the live rows
  kId,       ///< `_rowid`
  kAddress,  ///< `_rowaddr`
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

struct BranchInfo {
  std::optional<std::string> parent_branch;  ///< nothing: the main branch
  /// For each ancestor the version that it started from, and its UUID.
  std::vector<std::pair<uint64_t, std::string>> identifier;
  uint64_t parent_version = 0;
  int64_t created_at = 0;  ///< seconds since the epoch
  uint64_t manifest_size = 0;
  std::map<std::string, std::string> metadata;
};

/// What to change of one column (a path such as `a.b`).
struct ColumnAlteration {
  std::string path;
  std::optional<std::string> rename = {};
  std::optional<bool> nullable = {};
  /// Null: unchanged. Numbers can become other numbers, strings strings of another layout.
  std::shared_ptr<arrow::DataType> data_type = {};
};

/// Changes of a map of strings.
struct MapChanges {
  /// A key without a value is deleted.
  std::map<std::string, std::optional<std::string>> entries;
  /// Start from an empty map.
  bool replace = false;
};
struct MetadataChanges {
  std::optional<MapChanges> config = {};
  std::optional<MapChanges> table = {};
  std::optional<MapChanges> schema = {};
  /// By path of the field.
  std::map<std::string, MapChanges> fields = {};
};

struct CompactionOptions {
  uint64_t target_rows_per_fragment = 1ull << 20;
  uint64_t max_bytes_per_file = 90ull << 30;
  /// Rewrite fragments of which a larger part than the threshold is deleted.
  bool materialize_deletions = true;
  double materialize_deletions_threshold = 0.1;
  std::optional<uint64_t> batch_size = {};
  /// Plan no more tasks than these sums over their fragments allow.
  std::optional<uint64_t> max_source_fragments = {};
  std::optional<uint64_t> max_source_rows = {};
  std::optional<uint64_t> max_source_bytes = {};
  std::vector<uint64_t> excluded_fragment_ids = {};
  /// Of the new files; default the table's.
  std::optional<std::string> data_storage_version = {};
};
/// Fragments whose rows go into new ones together.
struct CompactionTask {
  std::vector<uint64_t> fragment_ids;
};
struct CompactionPlan {
  uint64_t read_version = 0;
  std::vector<CompactionTask> tasks;
};
struct CompactionMetrics {
  uint64_t fragments_removed = 0;
  uint64_t fragments_added = 0;
  uint64_t files_removed = 0;  ///< with deletion files
  uint64_t files_added = 0;
};
/// Files written by a task, not committed yet.
struct CompactionResult {
  uint64_t read_version = 0;
  /// Serialized `lance.table.Transaction.Rewrite.RewriteGroup`.
  std::string group;
  CompactionMetrics metrics;
};

/// Which versions to delete: those older than this one that meet all conditions given; none if no
/// condition is.
struct CleanupPolicy {
  /// Nanoseconds since the epoch: committed before.
  std::optional<int64_t> before_timestamp_ns = {};
  /// All but the newest so many.
  std::optional<uint64_t> retain_versions = {};
  std::optional<std::vector<uint64_t>> versions = {};
  /// Also files of no version that are younger than 7 days: no write may be under way.
  bool delete_unverified = false;
  /// Fail when a version to be deleted has a tag; otherwise it is kept.
  bool error_if_tagged_old_versions = true;
  /// Delete nothing, but list in CleanupStats::candidates what would be.
  bool dry_run = false;
};
struct CleanupStats {
  struct Candidate {
    std::string path;
    uint64_t size = 0;
  };
  uint64_t bytes_removed = 0;
  uint64_t old_versions = 0;
  uint64_t data_files_removed = 0;
  uint64_t transaction_files_removed = 0;
  uint64_t index_files_removed = 0;
  uint64_t deletion_files_removed = 0;
  uint64_t failed_deletions = 0;
  std::vector<Candidate> candidates;
};

/// How often an operation is done anew when another writer has changed the same rows meanwhile.
struct ConflictRetries {
  uint32_t max_retries = 10;
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
};

/// What MergeInsert does with a row of the table that has the key of a row of the source.
enum class WhenMatched : uint8_t {
  kDoNothing,
  kUpdateAll,  ///< it takes the values of the source
  kDelete,
  kFail,  ///< the operation fails
};

/// How MergeInsert writes the rows that it changes.
enum class MergeWriteMode : uint8_t {
  kRewriteRows,     ///< whole, in new fragments
  kRewriteColumns,  ///< the columns of the source, for all rows of the fragments that have one
};

/// How rows of a source are brought into a table. Rows match when their keys are equal; keys with
/// nulls never are.
struct MergeInsertOptions {
  /// The columns of the key; default: the table's unenforced primary key.
  std::vector<std::string> on = {};
  WhenMatched when_matched = WhenMatched::kDoNothing;
  /// Of kUpdateAll: only where this condition in SQL over `source.x` and `target.x` is true.
  std::optional<std::string> update_condition = {};
  /// Rows of the source that match no row of the table are inserted.
  bool insert_not_matched = false;
  /// Rows of the table that match no row of the source are deleted, if this condition is true.
  bool delete_not_matched_by_source = false;
  std::optional<std::string> delete_condition = {};
  /// Of the new files; default the table's.
  std::optional<std::string> data_storage_version = {};
  /// Bytes that the rows of the source and an index over their keys may take in memory. What is
  /// more goes to a temporary file, and the columns of the key are read once for each part of the
  /// source that can be indexed. Default: LANCE_MEM_POOL_SIZE, or else 512 MiB.
  std::optional<uint64_t> memory_budget = {};
  /// kRewriteColumns is for updates of matched rows only, from a source that lacks columns of the
  /// table; anything else is a user error.
  MergeWriteMode write_mode = MergeWriteMode::kRewriteRows;
  /// Of the files of new fragments.
  WriteTargets targets = {};
  ConflictRetries retries = {};
  Poll poll = {};
};
struct MergeInsertStats {
  uint64_t inserted_rows = 0;
  uint64_t updated_rows = 0;
  uint64_t deleted_rows = 0;
};

/// A fragment with new values in some of its columns, not committed yet.
struct UpdatedColumns {
  std::string fragment;  ///< a serialized `lance.table.DataFragment`
  /// The ids of the fields that have new values.
  std::vector<int32_t> fields;
  /// The physical offsets of the rows that were matched: a Roaring bitmap in its portable form.
  std::string matched_offsets;
};

/// How a transaction that was made elsewhere is committed.
struct CommitTransactionOptions {
  /// Of a new table.
  bool enable_v2_manifest_paths = true;
  bool enable_stable_row_ids = false;
  /// Whether a new table has semantic types; its fields are named accordingly.
  std::optional<bool> semantic_types = {};
  /// Outside of the history: the version has a random number with the highest bit set.
  bool detached = false;
  /// Tries against other writers. 0 with an overwrite: any newer version is a conflict.
  uint32_t max_retries = 20;
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

  /// Writes batches into data files that no version uses yet, and returns the transaction that
  /// would add them: a serialized `lance.table.Transaction`.
  static arrow::Result<std::string> WriteUncommitted(
      const std::string& uri, const std::shared_ptr<arrow::RecordBatchReader>& data,
      const WriteOptions& options = {});
  /// Commits a serialized `lance.table.Transaction` to the table at `uri`; an Overwrite that read
  /// version 0 creates it.
  static arrow::Result<std::shared_ptr<Dataset>> Commit(const std::string& uri,
                                                        const std::string& transaction,
                                                        const CommitTransactionOptions& options);
  /// Deletes a table with all its files. NotFound if there is none.
  static arrow::Status Drop(const std::string& uri);

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
  bool has_semantic_types() const;
  /// All fields in pre-order. Of a table without semantic types: those that it would have.
  arrow::Result<std::vector<SemanticField>> semantic_schema() const;
  std::map<std::string, std::string> config() const;
  std::map<std::string, std::string> table_metadata() const;

  arrow::Result<uint64_t> LatestVersion() const;
  arrow::Result<std::vector<VersionInfo>> Versions() const;
  VersionInfo Info() const;
  arrow::Result<std::map<std::string, TagInfo>> Tags() const;
  /// Another version of the same table.
  arrow::Result<std::shared_ptr<Dataset>> Checkout(const VersionRef& version) const;

  arrow::Result<uint64_t> CountRows() const;
  /// The rows that Scan(options) has.
  arrow::Result<uint64_t> CountRows(const ScanOptions& options) const;
  const std::vector<FragmentInfo>& fragments() const;

  /// Streams the rows in order; batches are decoded ahead in parallel within a memory bound.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Scan(
      const ScanOptions& options = {}) const;
  /// The schema that Scan(options) will have.
  arrow::Result<std::shared_ptr<arrow::Schema>> ScanSchema(const ScanOptions& options) const;
  /// SQL that means the same as ScanOptions::substrait_filter.
  arrow::Result<std::string> SubstraitToSql(const std::string& substrait_filter) const;
  /// The whole scan as a table, in large chunks.
  arrow::Result<std::shared_ptr<arrow::Table>> ToTable(const ScanOptions& options = {}) const;
  /// The steps that Scan(options) will take; reads no data.
  arrow::Result<PlanNode> ExplainScan(const ScanOptions& options = {}) const;
  /// Runs the scan, drops its rows, and says what each step did.
  /// Also gives the batches to `sink`, if there is one, whose time doesn't count.
  arrow::Result<PlanNode> AnalyzeScan(const ScanOptions& options = {},
                                      const BatchSink& sink = {}) const;
  /// Rows by their position among the live rows, in the given order, duplicates kept. A position
  /// beyond the end is a user error. `columns` as in ScanOptions.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Take(
      std::span<const uint64_t> indices,
      const std::optional<std::vector<std::string>>& columns = std::nullopt,
      const std::map<std::string, std::string>& output_encodings = {}) const;
  /// The same with computed columns: `expressions` as in ScanOptions.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeExpressions(
      std::span<const uint64_t> indices,
      const std::vector<std::pair<std::string, std::string>>& expressions,
      const std::map<std::string, std::string>& output_encodings = {}) const;
  /// The same within one fragment (positions among its live rows); blobs come as their bytes.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeFromFragment(
      uint64_t fragment_id, std::span<const uint64_t> indices,
      const std::optional<std::vector<std::string>>& columns = std::nullopt,
      const std::map<std::string, std::string>& output_encodings = {}) const;

  /// Values of a blob column, to be read later; null for a null. A row that doesn't exist is a user
  /// error.
  arrow::Result<std::vector<std::shared_ptr<Blob>>> TakeBlobs(const std::string& column, RowKey key,
                                                              std::span<const uint64_t> rows) const;
  /// The bytes of a blob column for some rows, in the given order: `_rowaddr`, and the column as
  /// large_binary.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadBlobs(
      const std::string& column, RowKey key, std::span<const uint64_t> rows) const;

  IoCounters io_counters() const;

  // References.

  arrow::Status CreateTag(const std::string& name, const VersionRef& version) const;
  arrow::Status UpdateTag(const std::string& name, const VersionRef& version) const;
  arrow::Status DeleteTag(const std::string& name) const;
  arrow::Status ReplaceTagMetadata(const std::string& name,
                                   const std::map<std::string, std::string>& metadata) const;
  arrow::Result<std::map<std::string, BranchInfo>> Branches() const;
  /// A branch that starts from a version of this table, opened.
  arrow::Result<std::shared_ptr<Dataset>> CreateBranch(const std::string& name,
                                                       const VersionRef& start) const;
  arrow::Status DeleteBranch(const std::string& name) const;
  arrow::Status ReplaceBranchMetadata(const std::string& name,
                                      const std::map<std::string, std::string>& metadata) const;
  /// The branch of this version; nothing: the main branch.
  std::optional<std::string> branch() const;

  // Changes. Each commits a version and returns it; this handle stays at its own.

  /// This version becomes the newest one again.
  arrow::Result<std::shared_ptr<Dataset>> Restore() const;
  arrow::Result<std::shared_ptr<Dataset>> DropColumns(const std::vector<std::string>& paths) const;
  arrow::Result<std::shared_ptr<Dataset>> AlterColumns(
      const std::vector<ColumnAlteration>& alterations) const;
  /// Columns that are null in every row so far.
  arrow::Result<std::shared_ptr<Dataset>> AddNullColumns(
      const std::shared_ptr<arrow::Schema>& columns) const;
  /// Columns with one value for each row, in order.
  arrow::Result<std::shared_ptr<Dataset>> AddColumns(
      const std::shared_ptr<arrow::RecordBatchReader>& values) const;
  /// Adds the columns of `right` to the rows whose `left_on` equals its `right_on`.
  arrow::Result<std::shared_ptr<Dataset>> Merge(
      const std::shared_ptr<arrow::RecordBatchReader>& right, const std::string& left_on,
      const std::string& right_on, const Poll& poll = {}) const;
  arrow::Result<std::shared_ptr<Dataset>> ChangeMetadata(const MetadataChanges& changes) const;
  /// Gives the table semantic types (docs/semantic-types.md): reads return what they did, but the
  /// layouts of columns no longer matter. No data is written. There is no way back, and older
  /// readers refuse the table.
  arrow::Result<std::shared_ptr<Dataset>> UpgradeSemanticTypes() const;
  /// Sets the layout that reads return a field in, by its path; nothing: the default of its type.
  arrow::Result<std::shared_ptr<Dataset>> SetOutputEncoding(
      const std::string& path, const std::optional<std::string>& encoding) const;
  /// Deletes the rows for which a condition in SQL is true; also how many that were.
  arrow::Result<std::pair<std::shared_ptr<Dataset>, uint64_t>> Delete(
      const std::string& predicate, const ConflictRetries& retries = {},
      const Poll& poll = {}) const;
  /// Sets columns to values of SQL expressions over the old row, in all rows or where a condition
  /// is true; also in how many.
  arrow::Result<std::pair<std::shared_ptr<Dataset>, uint64_t>> Update(
      const std::map<std::string, std::string>& updates,
      const std::optional<std::string>& where = std::nullopt, const ConflictRetries& retries = {},
      const std::optional<std::string>& data_storage_version = std::nullopt,
      const Poll& poll = {}) const;
  /// Whether these updates fit the columns; values that can't be cast only show in Update().
  arrow::Status CheckUpdate(const std::map<std::string, std::string>& updates) const;
  /// Updates, inserts and deletes rows by their keys. All rows of `source` are held in memory; it
  /// may lack columns: rows that are updated keep their values of these, new ones have nulls. Two
  /// rows of the source that change the same row of the table are a user error.
  arrow::Result<std::pair<std::shared_ptr<Dataset>, MergeInsertStats>> MergeInsert(
      const std::shared_ptr<arrow::RecordBatchReader>& source,
      const MergeInsertOptions& options) const;
  /// Writes the files only, and returns the transaction that would do the rest: a serialized
  /// `lance.table.Transaction`.
  arrow::Result<std::pair<std::string, MergeInsertStats>> MergeInsertUncommitted(
      const std::shared_ptr<arrow::RecordBatchReader>& source,
      const MergeInsertOptions& options) const;
  /// What MergeInsert would do, a step a line; the text is for people.
  arrow::Result<std::string> ExplainMergeInsert(const arrow::Schema& source,
                                                const MergeInsertOptions& options) const;
  /// Does it but for the commit, and tells what the steps came to.
  arrow::Result<std::string> AnalyzeMergeInsert(
      const std::shared_ptr<arrow::RecordBatchReader>& source,
      const MergeInsertOptions& options) const;
  /// The columns that MergeInsert takes for the key, given `on`.
  arrow::Result<std::vector<std::string>> MergeKey(const std::vector<std::string>& on) const;
  /// Deletes all rows.
  arrow::Result<std::shared_ptr<Dataset>> Truncate() const;
  /// Registers base paths, for writes from now on; `properties` are those of the transaction.
  arrow::Result<std::shared_ptr<Dataset>> AddBases(
      const std::vector<BasePathInfo>& bases,
      const std::map<std::string, std::string>& properties = {}) const;
  std::vector<BasePathInfo> base_paths() const;

  /// Gives all rows ids that survive updates and compaction; no data is written. There is no way
  /// back. Tables with indexes are refused, and so is any version that was committed meanwhile.
  arrow::Result<std::shared_ptr<Dataset>> MigrateToStableRowIds() const;

  /// Rewrites small and half-deleted fragments into full ones; also what became of how many.
  arrow::Result<std::pair<std::shared_ptr<Dataset>, CompactionMetrics>> Compact(
      const CompactionOptions& options = {}, const Poll& poll = {}) const;
  /// The same in steps, of which the tasks may run anywhere. The files of a task that is not
  /// committed are the caller's; a clean-up deletes them in the end.
  arrow::Result<CompactionPlan> PlanCompaction(const CompactionOptions& options) const;
  arrow::Result<CompactionResult> RunCompactionTask(const CompactionTask& task,
                                                    const CompactionOptions& options,
                                                    const Poll& poll = {}) const;
  arrow::Result<std::shared_ptr<Dataset>> CommitCompaction(
      const std::vector<CompactionResult>& results) const;

  // Upkeep.

  arrow::Result<CleanupStats> CleanUpOldVersions(const CleanupPolicy& policy) const;
  /// Renames manifests of the old naming scheme. Nobody else may use the table meanwhile.
  arrow::Status MigrateManifestPathsV2() const;
  /// Opens every file of this version and compares it with what the manifest says.
  arrow::Status Validate() const;
  /// A table at `uri` whose first version is `version` of this one, with this table's files.
  arrow::Result<std::shared_ptr<Dataset>> ShallowClone(const std::string& uri,
                                                       const VersionRef& version) const;
  /// The same with copies of all files.
  arrow::Result<std::shared_ptr<Dataset>> DeepClone(const std::string& uri,
                                                    const VersionRef& version) const;

  // Pieces of changes made elsewhere, as serialized `lance.table` messages.

  /// The `Transaction` that made a version; NotFound if it left none.
  arrow::Result<std::string> ReadTransaction(uint64_t version) const;
  /// The `DataFragment` of this version.
  arrow::Result<std::string> SerializedFragment(uint64_t fragment_id) const;
  /// The `lance.file.Field`s of this version, one string each, parents first.
  std::vector<std::string> SerializedFields() const;
  /// The fragment without the rows at these physical offsets; nothing when none is left.
  arrow::Result<std::optional<std::string>> DeleteFromFragment(
      uint64_t fragment_id, std::span<const uint64_t> offsets) const;
  /// The fragment with more columns, one value for each of its live rows, and the fields of the
  /// table with them.
  arrow::Result<std::pair<std::string, std::vector<std::string>>> AddColumnsToFragment(
      uint64_t fragment_id, const std::shared_ptr<arrow::RecordBatchReader>& values) const;
  arrow::Result<std::pair<std::string, std::vector<std::string>>> MergeIntoFragment(
      uint64_t fragment_id, const std::shared_ptr<arrow::RecordBatchReader>& right,
      const std::string& left_on, const std::string& right_on) const;
  /// The fragment with values of `right` in the rows whose `left_on` equals its `right_on`; all
  /// other columns of `right` are columns of the table. To be committed as an Update.
  arrow::Result<UpdatedColumns> UpdateFragmentColumns(
      uint64_t fragment_id, const std::shared_ptr<arrow::RecordBatchReader>& right,
      const std::string& left_on, const std::string& right_on) const;

 private:
  struct Impl;
  explicit Dataset(std::shared_ptr<const Impl> impl);
  static arrow::Result<std::shared_ptr<Dataset>> From(
      arrow::Result<std::shared_ptr<const Snapshot>> snapshot);
  std::shared_ptr<const Impl> impl_;
};

/// The serialized `lance.file.Field`s of an Arrow schema, parents first. `ids` are theirs in that
/// order; default: numbered from 0, unless the fields' metadata says otherwise. `semantic_types`:
/// for a table with them; layouts that are not the defaults become output encodings.
LANCE_EXPORT arrow::Result<std::vector<std::string>> SerializeFields(
    const arrow::Schema& schema, const std::optional<std::vector<int32_t>>& ids = std::nullopt,
    bool semantic_types = false);
/// An Arrow schema and the ids of its fields, of serialized ones.
LANCE_EXPORT arrow::Result<std::pair<std::shared_ptr<arrow::Schema>, std::vector<int32_t>>>
ParseFields(const std::vector<std::string>& fields);

}  // namespace lance
