#include "lance/dataset.h"

#include "arrow/api.h"
#include "dataset/dataset_impl.h"
#include "dataset/open_table.h"
#include "dataset/ordered_scan.h"
#include "dataset/scan.h"
#include "dataset/scan_plan.h"
#include "dataset/semantic_types.h"
#include "dataset/snapshot.h"
#include "dataset/take.h"
#include "dataset/take_blobs.h"
#include "dataset/write_table.h"
#include "table/deletion_file.h"
#include "table/refs.h"

namespace lance {
namespace {

DataFileInfo DescribeFile(const table::DataFile& file) {
  DataFileInfo info;
  info.path = file.path();
  info.fields.assign(file.fields().begin(), file.fields().end());
  info.column_indices.assign(file.column_indices().begin(), file.column_indices().end());
  info.file_major_version = file.file_major_version();
  info.file_minor_version = file.file_minor_version();
  if (file.file_size_bytes() != 0) info.file_size_bytes = file.file_size_bytes();
  if (file.has_base_id()) info.base_id = file.base_id();
  return info;
}

DeletionFileInfo DescribeDeletions(uint64_t fragment_id, const table::DeletionFile& file) {
  DeletionFileInfo info;
  info.file_type = file.file_type() == table::DeletionFile::BITMAP ? "bitmap" : "array";
  info.read_version = file.read_version();
  info.id = file.id();
  info.num_deleted_rows = file.num_deleted_rows();
  if (file.has_base_id()) info.base_id = file.base_id();
  info.path = "_deletions/" + DeletionFileName(fragment_id, file);
  return info;
}

/// A fragment whose bytes don't parse shows with its id and counts only; reading it is an error.
FragmentInfo DescribeFragment(const FragmentSummary& summary) {
  FragmentInfo info;
  info.id = summary.id;
  info.physical_rows = summary.physical_rows;
  info.num_deletions = summary.num_deleted_rows;
  auto fragment = ParseFragment(summary);
  if (!fragment.ok()) return info;
  for (const auto& file : fragment->files()) info.files.push_back(DescribeFile(file));
  if (fragment->has_deletion_file()) {
    info.deletion_file = DescribeDeletions(summary.id, fragment->deletion_file());
  }
  return info;
}

TagInfo DescribeTag(Tag tag) {
  TagInfo info;
  info.branch = std::move(tag.branch);
  info.version = tag.version;
  info.manifest_size = tag.manifest_size;
  info.created_at = std::move(tag.created_at);
  info.updated_at = std::move(tag.updated_at);
  info.metadata = std::move(tag.metadata);
  return info;
}

/// Tells what a scan took when all its batches were read.
class TellingReader final : public arrow::RecordBatchReader {
 public:
  TellingReader(std::shared_ptr<const Snapshot> snapshot,
                std::shared_ptr<arrow::RecordBatchReader> source,
                std::shared_ptr<const ScanTotals> totals,
                std::function<void(const ScanStatistics&)> on_done)
      : snapshot_(std::move(snapshot)),
        source_(std::move(source)),
        totals_(std::move(totals)),
        on_done_(std::move(on_done)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return source_->schema(); }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(source_->ReadNext(batch));
    if (*batch == nullptr && on_done_) std::exchange(on_done_, {})(totals_->ToStatistics());
    return Status::OK();
  }
  Status Close() override { return source_->Close(); }

 private:
  std::shared_ptr<const Snapshot> snapshot_;  // which owns what the totals count into
  std::shared_ptr<arrow::RecordBatchReader> source_;
  std::shared_ptr<const ScanTotals> totals_;
  std::function<void(const ScanStatistics&)> on_done_;
};

}  // namespace

Dataset::Dataset(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Dataset::~Dataset() = default;

arrow::Result<std::shared_ptr<Dataset>> Dataset::From(
    arrow::Result<std::shared_ptr<const Snapshot>> snapshot) {
  ARROW_RETURN_NOT_OK(snapshot.status());
  auto impl = std::make_shared<Impl>();
  ARROW_ASSIGN_OR_RAISE(impl->arrow_schema, (*snapshot)->manifest().schema.ToOutput());
  impl->snapshot = *std::move(snapshot);
  return std::shared_ptr<Dataset>(new Dataset(std::move(impl)));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::Open(const std::string& uri,
                                                      const OpenOptions& options) {
  ARROW_ASSIGN_OR_RAISE(auto handle, TableHandle::Make(uri));
  bool by_version = !std::holds_alternative<std::monostate>(options.version);
  if (options.as_of_ns && by_version) {
    return UserError("version and as_of can't be given together; give one of them");
  }
  return From(options.as_of_ns ? handle.OpenAsOf(*options.as_of_ns)
                               : handle.OpenRef(options.version));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::Write(
    const std::string& uri, const std::shared_ptr<arrow::RecordBatchReader>& data,
    const WriteOptions& options) {
  ARROW_ASSIGN_OR_RAISE(auto handle, TableHandle::Make(uri));
  return From(WriteTable(handle, nullptr, data, options));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::Insert(
    const std::shared_ptr<arrow::RecordBatchReader>& data, const WriteOptions& options) const {
  return From(WriteTable(HandleOf(*impl_->snapshot), impl_->snapshot, data, options));
}

const std::string& Dataset::uri() const { return impl_->snapshot->uri(); }
uint64_t Dataset::version() const { return impl_->manifest().version(); }
int64_t Dataset::timestamp_ns() const { return impl_->manifest().timestamp_ns(); }

std::string Dataset::data_storage_version() const {
  auto version = impl_->manifest().data_version();
  return version.ok() ? std::string(FileVersionName(*version))
                      : impl_->manifest().head.data_format().version();
}

std::shared_ptr<arrow::Schema> Dataset::schema() const { return impl_->arrow_schema; }

std::vector<std::pair<int32_t, std::string>> Dataset::field_ids() const {
  std::vector<std::pair<int32_t, std::string>> ids;
  for (const Field* field : impl_->manifest().schema.PreOrder()) {
    ids.emplace_back(field->id, field->name);
  }
  return ids;
}

int32_t Dataset::max_field_id() const {
  int32_t max = impl_->manifest().schema.MaxFieldId();
  // Files may still hold columns that were dropped from the schema.
  for (const FragmentInfo& fragment : fragments()) {
    for (const DataFileInfo& file : fragment.files) {
      for (int32_t id : file.fields) max = std::max(max, id);
    }
  }
  return max;
}

bool Dataset::has_semantic_types() const { return impl_->manifest().has_semantic_types(); }

arrow::Result<std::vector<SemanticField>> Dataset::semantic_schema() const {
  return DescribeSemantics(impl_->manifest().schema);
}

bool Dataset::has_stable_row_ids() const { return impl_->manifest().has_stable_row_ids(); }

std::map<std::string, std::string> Dataset::config() const {
  const auto& config = impl_->manifest().head.config();
  return {config.begin(), config.end()};
}

std::map<std::string, std::string> Dataset::table_metadata() const {
  const auto& metadata = impl_->manifest().head.table_metadata();
  return {metadata.begin(), metadata.end()};
}

arrow::Result<uint64_t> Dataset::LatestVersion() const {
  const Snapshot& snapshot = *impl_->snapshot;
  ARROW_ASSIGN_OR_RAISE(
      auto latest,
      FindLatestVersion(snapshot.MakeContext(), *snapshot.table().store, snapshot.table().root));
  if (!latest) return NotFound("Dataset at path ", snapshot.table().root, " was not found");
  return latest->version;
}

arrow::Result<std::vector<VersionInfo>> Dataset::Versions() const {
  TableHandle handle = HandleOf(*impl_->snapshot);
  ARROW_ASSIGN_OR_RAISE(auto locations, handle.Versions());
  std::vector<VersionInfo> versions;
  for (const ManifestLocation& location : locations) {
    auto file = ManifestFile::Read(handle.session->MakeContext(), *handle.table.store, location);
    // Cleaned up since it was listed.
    if (!file.ok() && GetErrorCode(file.status()) == ErrorCode::kNotFound) continue;
    ARROW_RETURN_NOT_OK(file.status());
    versions.push_back(DescribeVersion((*file)->manifest()));
  }
  return versions;
}

VersionInfo Dataset::Info() const { return DescribeVersion(impl_->manifest()); }

arrow::Result<std::map<std::string, TagInfo>> Dataset::Tags() const {
  const Snapshot& snapshot = *impl_->snapshot;
  std::string main_root = MainRoot(snapshot.table().root, snapshot.manifest());
  ARROW_ASSIGN_OR_RAISE(auto tags,
                        ListTags(snapshot.MakeContext(), *snapshot.table().store, main_root));
  std::map<std::string, TagInfo> described;
  for (auto& [name, tag] : tags) described.emplace(name, DescribeTag(std::move(tag)));
  return described;
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::Checkout(const VersionRef& version) const {
  return From(OpenReference(*impl_->snapshot, version));
}

arrow::Result<uint64_t> Dataset::CountRows() const {
  ARROW_ASSIGN_OR_RAISE(auto counts, impl_->snapshot->Counts());
  return counts->total();
}

arrow::Result<uint64_t> Dataset::CountRows(const ScanOptions& options) const {
  return CountScan(impl_->snapshot, options);
}

const std::vector<FragmentInfo>& Dataset::fragments() const {
  std::call_once(impl_->described, [this] {
    for (const FragmentSummary& summary : impl_->manifest().fragments) {
      impl_->fragments.push_back(DescribeFragment(summary));
    }
  });
  return impl_->fragments;
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Dataset::Scan(
    const ScanOptions& options) const {
  const OrderTotals totals(&impl_->snapshot->session()->io_stats());
  ARROW_ASSIGN_OR_RAISE(
      auto reader, options.order_by.empty()
                       ? ScanBatches(impl_->snapshot, options, {}, RowForm::kOutput, totals.all)
                       : ScanInOrder(impl_->snapshot, options, &totals));
  if (!options.on_done) return reader;
  return std::make_shared<TellingReader>(impl_->snapshot, std::move(reader), totals.all,
                                         options.on_done);
}

arrow::Result<std::shared_ptr<arrow::Schema>> Dataset::ScanSchema(
    const ScanOptions& options) const {
  ARROW_ASSIGN_OR_RAISE(auto plan, ScanPlan::Make(*impl_->snapshot, options, {}, RowForm::kOutput));
  return plan->output_schema();
}

arrow::Result<std::string> Dataset::SubstraitToSql(const std::string& substrait_filter) const {
  return lance::SubstraitToSql(*impl_->snapshot, substrait_filter);
}

arrow::Result<std::shared_ptr<arrow::Table>> Dataset::ToTable(const ScanOptions& options) const {
  if (!options.order_by.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto rows, Scan(options));
    return rows->ToTable();
  }
  auto totals = std::make_shared<ScanTotals>(&impl_->snapshot->session()->io_stats());
  ARROW_ASSIGN_OR_RAISE(auto table, ScanTable(impl_->snapshot, options, RowForm::kOutput, totals));
  if (options.on_done) options.on_done(totals->ToStatistics());
  return table;
}

arrow::Result<PlanNode> Dataset::ExplainScan(const ScanOptions& options) const {
  return lance::ExplainScan(*impl_->snapshot, options);
}

arrow::Result<PlanNode> Dataset::AnalyzeScan(const ScanOptions& options,
                                             const BatchSink& sink) const {
  return lance::AnalyzeScan(impl_->snapshot, options, {}, sink);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Dataset::Take(
    std::span<const uint64_t> indices, const std::optional<std::vector<std::string>>& columns,
    const std::map<std::string, std::string>& output_encodings) const {
  const ColumnRequest request{
      .columns = columns, .path_style = PathStyle::kNested, .output_encodings = output_encodings};
  return TakeRows(*impl_->snapshot, indices, request, RowForm::kOutput);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Dataset::TakeExpressions(
    std::span<const uint64_t> indices,
    const std::vector<std::pair<std::string, std::string>>& expressions,
    const std::map<std::string, std::string>& output_encodings) const {
  return TakeComputedRows(*impl_->snapshot, indices, expressions, output_encodings);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Dataset::TakeFromFragment(
    uint64_t fragment_id, std::span<const uint64_t> indices,
    const std::optional<std::vector<std::string>>& columns,
    const std::map<std::string, std::string>& output_encodings) const {
  const ColumnRequest request{.columns = columns,
                              .path_style = PathStyle::kNested,
                              .blob_handling = BlobHandling::kBytes,
                              .output_encodings = output_encodings};
  return TakeRowsOfFragment(*impl_->snapshot, fragment_id, indices, request, RowForm::kOutput);
}

arrow::Result<std::vector<std::shared_ptr<Blob>>> Dataset::TakeBlobs(
    const std::string& column, RowKey key, std::span<const uint64_t> rows) const {
  return lance::TakeBlobs(*impl_->snapshot, column, key, rows);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Dataset::ReadBlobs(
    const std::string& column, RowKey key, std::span<const uint64_t> rows) const {
  return lance::ReadBlobs(*impl_->snapshot, column, key, rows);
}

IoCounters Dataset::io_counters() const {
  const IoStats& stats = impl_->snapshot->session()->io_stats();
  return {stats.reads.load(), stats.read_bytes.load(), stats.writes.load(),
          stats.written_bytes.load()};
}

}  // namespace lance
