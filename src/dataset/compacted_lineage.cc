#include "dataset/compacted_lineage.h"

#include <span>

#include "arrow/api.h"
#include "dataset/scan.h"
#include "table/fragment_deletions.h"

namespace lance {
namespace {

/// Rows of tables that kept no versions count as made by the first one.
constexpr uint64_t kUnknownVersion = 1;

bool IsStored(const table::DataFragment& fragment) {
  return fragment.has_column_row_ids() || fragment.has_column_created_at_versions() ||
         fragment.has_column_last_updated_at_versions();
}

Result<VersionSequence> VersionsOf(bool is_known, const std::string& bytes, uint64_t rows) {
  if (!is_known) return VersionSequence::Uniform(kUnknownVersion, rows);
  return VersionSequence::Decode(AsBytes(bytes));
}

std::span<const uint64_t> Numbers(const arrow::RecordBatch& batch, int column) {
  const auto& array = static_cast<const arrow::UInt64Array&>(*batch.column(column));
  return {array.raw_values(), static_cast<size_t>(array.length())};
}

void AppendVersions(std::span<const uint64_t> versions, VersionSequence* sequence) {
  sequence->Append(VersionSequence::FromValues(versions), 0, versions.size());
}

}  // namespace

Result<CompactedLineage> CompactedLineage::Read(const std::shared_ptr<const Snapshot>& snapshot,
                                                const std::vector<uint64_t>& fragment_ids) {
  CompactedLineage lineage;
  for (uint64_t id : fragment_ids) {
    ARROW_ASSIGN_OR_RAISE(size_t index, snapshot->FindFragment(id));
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(snapshot->fragments()[index]));
    ARROW_RETURN_NOT_OK(IsStored(fragment) ? lineage.AddStored(snapshot, id)
                                           : lineage.AddFragment(*snapshot, fragment));
  }
  return lineage;
}

Status CompactedLineage::AddFragment(const Snapshot& snapshot,
                                     const table::DataFragment& fragment) {
  uint64_t rows = fragment.physical_rows();
  ARROW_ASSIGN_OR_RAISE(auto ids, RowIdSequence::Decode(AsBytes(fragment.inline_row_ids())));
  ARROW_ASSIGN_OR_RAISE(auto created, VersionsOf(fragment.has_inline_created_at_versions(),
                                                 fragment.inline_created_at_versions(), rows));
  ARROW_ASSIGN_OR_RAISE(auto updated, VersionsOf(fragment.has_inline_last_updated_at_versions(),
                                                 fragment.inline_last_updated_at_versions(), rows));
  if (ids.size() != rows || created.size() != rows || updated.size() != rows) {
    return Corrupt("fragment ", fragment.id(), " has ", rows, " rows, but ids of ", ids.size(),
                   ", versions of ", created.size(), " and ", updated.size());
  }
  ARROW_ASSIGN_OR_RAISE(auto live, ReadLiveRanges(snapshot.MakeContext(), snapshot.table(),
                                                  snapshot.manifest(), fragment));
  for (const RowRange& range : live) {
    ids.AppendRuns(range.start, range.count, &ids_);
    created_.Append(created, range.start, range.count);
    updated_.Append(updated, range.start, range.count);
  }
  return Status::OK();
}

Status CompactedLineage::AddStored(const std::shared_ptr<const Snapshot>& snapshot,
                                   uint64_t fragment_id) {
  ScanOptions options;
  options.columns = {"_rowid", "_row_created_at_version", "_row_last_updated_at_version"};
  options.fragments = {fragment_id};
  ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(snapshot, options));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(scan->ReadNext(&batch));
    if (batch == nullptr) return Status::OK();
    auto ids = RowIdSequence::FromValues(Numbers(*batch, 0));
    ids.AppendRuns(0, ids.size(), &ids_);
    AppendVersions(Numbers(*batch, 1), &created_);
    AppendVersions(Numbers(*batch, 2), &updated_);
  }
}

void CompactedLineage::SetOn(std::vector<table::DataFragment>* fragments) const {
  RowIdSequence ids = RowIdSequence::FromRuns(ids_);
  uint64_t first = 0;
  for (auto& fragment : *fragments) {
    uint64_t rows = fragment.physical_rows();
    std::vector<IdRun> own;
    ids.AppendRuns(first, rows, &own);
    VersionSequence created;
    created.Append(created_, first, rows);
    VersionSequence updated;
    updated.Append(updated_, first, rows);
    fragment.set_inline_row_ids(RowIdSequence::FromRuns(own).Encode());
    fragment.set_inline_created_at_versions(created.Encode());
    fragment.set_inline_last_updated_at_versions(updated.Encode());
    first += rows;
  }
}

}  // namespace lance
