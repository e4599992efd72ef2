// The verbs of Dataset that change rows chosen by a condition or by their keys.
#include <cstdint>

#include "arrow/api.h"
#include "base/memory_budget.h"
#include "dataset/dataset_impl.h"
#include "dataset/delete_rows.h"
#include "dataset/merge_insert.h"
#include "dataset/merge_key.h"
#include "dataset/merge_plan.h"
#include "dataset/retry_conflicts.h"
#include "dataset/select_rows.h"
#include "dataset/source_rows.h"
#include "dataset/update_rows.h"

namespace lance {

using Counted = std::pair<std::shared_ptr<Dataset>, uint64_t>;
using Merged = std::pair<std::shared_ptr<Dataset>, MergeInsertStats>;

namespace {

Result<SourceRows> ReadSource(arrow::RecordBatchReader* source, const MergeInsertOptions& options,
                              const Context& context) {
  // The other half is for what is worked out of them.
  const uint64_t bytes = options.memory_budget.value_or(DefaultMemoryBudget()) / 2;
  return SourceRows::Read(source, context.pool(), {.memory_bytes = bytes});
}

}  // namespace

arrow::Result<Counted> Dataset::Delete(const std::string& predicate, const ConflictRetries& retries,
                                       const Poll& poll) const {
  uint64_t count = 0;
  auto run = [&](const std::shared_ptr<const Snapshot>& snapshot)
      -> Result<std::shared_ptr<const Snapshot>> {
    ARROW_ASSIGN_OR_RAISE(auto rows, SelectRows(snapshot, predicate, poll));
    count = rows->size();
    return DeleteRows(*snapshot, rows, predicate, poll);
  };
  ARROW_ASSIGN_OR_RAISE(auto dataset, From(RetryConflicts(impl_->snapshot, retries, run)));
  return Counted(std::move(dataset), count);
}

arrow::Result<Counted> Dataset::Update(const std::map<std::string, std::string>& updates,
                                       const std::optional<std::string>& where,
                                       const ConflictRetries& retries,
                                       const std::optional<std::string>& data_storage_version,
                                       const Poll& poll) const {
  RowRewriteOptions options{.data_storage_version = data_storage_version, .poll = poll};
  uint64_t count = 0;
  auto run = [&](const std::shared_ptr<const Snapshot>& snapshot)
      -> Result<std::shared_ptr<const Snapshot>> {
    ARROW_ASSIGN_OR_RAISE(UpdatedRows updated, UpdateRows(snapshot, updates, where, options));
    count = updated.count;
    return updated.snapshot;
  };
  ARROW_ASSIGN_OR_RAISE(auto dataset, From(RetryConflicts(impl_->snapshot, retries, run)));
  return Counted(std::move(dataset), count);
}

arrow::Status Dataset::CheckUpdate(const std::map<std::string, std::string>& updates) const {
  return CheckUpdates(*impl_->snapshot, updates);
}

arrow::Result<Merged> Dataset::MergeInsert(const std::shared_ptr<arrow::RecordBatchReader>& source,
                                           const MergeInsertOptions& options) const {
  Context context = impl_->snapshot->MakeContext();
  ARROW_ASSIGN_OR_RAISE(SourceRows rows, ReadSource(source.get(), options, context));
  MergeInsertStats stats;
  auto run = [&](const std::shared_ptr<const Snapshot>& snapshot)
      -> Result<std::shared_ptr<const Snapshot>> {
    ARROW_ASSIGN_OR_RAISE(MergedRows merged, MergeInsertRows(snapshot, rows, options));
    stats = merged.stats;
    return merged.snapshot;
  };
  ARROW_ASSIGN_OR_RAISE(auto dataset, From(RetryConflicts(impl_->snapshot, options.retries, run)));
  return Merged(std::move(dataset), stats);
}

arrow::Result<std::pair<std::string, MergeInsertStats>> Dataset::MergeInsertUncommitted(
    const std::shared_ptr<arrow::RecordBatchReader>& source,
    const MergeInsertOptions& options) const {
  Context context = impl_->snapshot->MakeContext();
  ARROW_ASSIGN_OR_RAISE(SourceRows rows, ReadSource(source.get(), options, context));
  ARROW_ASSIGN_OR_RAISE(UncommittedMerge merge,
                        lance::MergeInsertUncommitted(impl_->snapshot, rows, options));
  return std::pair(merge.transaction.SerializeAsString(), merge.stats);
}

arrow::Result<std::string> Dataset::ExplainMergeInsert(const arrow::Schema& source,
                                                       const MergeInsertOptions& options) const {
  return lance::ExplainMergeInsert(*impl_->snapshot, source, options);
}

arrow::Result<std::string> Dataset::AnalyzeMergeInsert(
    const std::shared_ptr<arrow::RecordBatchReader>& source,
    const MergeInsertOptions& options) const {
  Context context = impl_->snapshot->MakeContext();
  ARROW_ASSIGN_OR_RAISE(SourceRows rows, ReadSource(source.get(), options, context));
  return lance::AnalyzeMergeInsert(impl_->snapshot, rows, options);
}

arrow::Result<std::vector<std::string>> Dataset::MergeKey(
    const std::vector<std::string>& on) const {
  ARROW_ASSIGN_OR_RAISE(auto fields, MergeKeyOf(impl_->manifest().schema, on));
  std::vector<std::string> names;
  names.reserve(fields.size());
  for (const Field* field : fields) names.push_back(field->name);
  return names;
}

}  // namespace lance
