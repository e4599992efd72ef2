// The verbs of Dataset that change rows chosen by a condition.
#include "arrow/api.h"
#include "dataset/dataset_impl.h"
#include "dataset/delete_rows.h"
#include "dataset/retry_conflicts.h"
#include "dataset/select_rows.h"
#include "dataset/update_rows.h"

namespace lance {

using Counted = std::pair<std::shared_ptr<Dataset>, uint64_t>;

arrow::Result<Counted> Dataset::Delete(const std::string& predicate,
                                       const ConflictRetries& retries) const {
  uint64_t count = 0;
  auto run = [&](const std::shared_ptr<const Snapshot>& snapshot)
      -> Result<std::shared_ptr<const Snapshot>> {
    ARROW_ASSIGN_OR_RAISE(RowFilter filter, BindRowFilter(*snapshot, predicate));
    ARROW_ASSIGN_OR_RAISE(auto rows, SelectRows(snapshot, filter));
    count = rows->size();
    return DeleteRows(*snapshot, rows, predicate);
  };
  ARROW_ASSIGN_OR_RAISE(auto dataset, From(RetryConflicts(impl_->snapshot, retries, run)));
  return Counted(std::move(dataset), count);
}

arrow::Result<Counted> Dataset::Update(const std::map<std::string, std::string>& updates,
                                       const std::optional<std::string>& where,
                                       const ConflictRetries& retries) const {
  uint64_t count = 0;
  auto run = [&](const std::shared_ptr<const Snapshot>& snapshot)
      -> Result<std::shared_ptr<const Snapshot>> {
    ARROW_ASSIGN_OR_RAISE(UpdatedRows updated, UpdateRows(snapshot, updates, where));
    count = updated.count;
    return updated.snapshot;
  };
  ARROW_ASSIGN_OR_RAISE(auto dataset, From(RetryConflicts(impl_->snapshot, retries, run)));
  return Counted(std::move(dataset), count);
}

}  // namespace lance
