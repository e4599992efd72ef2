#include "dataset/delete_rows.h"

#include "dataset/commit_operation.h"
#include "dataset/poll.h"
#include "table/feature_flags.h"
#include "table/fragment_deletions.h"

namespace lance {
namespace {

constexpr char kEveryRow[] = "true";

}  // namespace

Result<std::optional<table::DataFragment>> DeleteOffsets(const Snapshot& snapshot,
                                                         uint64_t fragment_id,
                                                         const RoaringBitmap& offsets,
                                                         NewFiles* files) {
  ARROW_ASSIGN_OR_RAISE(size_t index, snapshot.FindFragment(fragment_id));
  ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(snapshot.fragments()[index]));
  if (!offsets.isEmpty() && offsets.maximum() >= fragment.physical_rows()) {
    return UserError("row ", offsets.maximum(), " is not in fragment ", fragment_id, ": it has ",
                     fragment.physical_rows(), " rows");
  }
  Context context = snapshot.MakeContext();
  ARROW_ASSIGN_OR_RAISE(
      auto deleted, ReadDeletedOffsets(context, snapshot.table(), snapshot.manifest(), fragment));
  deleted |= offsets;
  std::vector<std::string> written;
  auto rows_left = SetDeletedOffsets(context, snapshot.table(), snapshot.manifest().version(),
                                     deleted, &fragment, &written);
  for (std::string& path : written) files->Add({snapshot.table().store, std::move(path)});
  ARROW_RETURN_NOT_OK(rows_left.status());
  if (!*rows_left) return std::nullopt;
  return fragment;
}

Result<FragmentDeletions> DeleteFromFragments(const Snapshot& snapshot, const RowAddressSet& rows,
                                              NewFiles* files, const Poll& poll) {
  FragmentDeletions deletions;
  for (const auto& [id, offsets] : rows.fragments) {
    if (offsets.isEmpty()) continue;
    ARROW_RETURN_NOT_OK(CallPoll(poll));
    ARROW_ASSIGN_OR_RAISE(auto fragment, DeleteOffsets(snapshot, id, offsets, files));
    if (fragment) {
      deletions.updated.push_back(*std::move(fragment));
    } else {
      deletions.removed.push_back(id);
    }
  }
  return deletions;
}

Result<std::shared_ptr<const Snapshot>> DeleteRows(const Snapshot& snapshot,
                                                   std::shared_ptr<const RowAddressSet> rows,
                                                   const std::string& predicate, const Poll& poll) {
  ARROW_RETURN_NOT_OK(CheckWritable(snapshot.manifest()));
  NewFiles files(snapshot.MakeContext());
  ARROW_ASSIGN_OR_RAISE(auto deletions, DeleteFromFragments(snapshot, *rows, &files, poll));
  Transaction transaction = BeginTransaction(snapshot);
  auto* removal = transaction.mutable_delete_();
  removal->mutable_updated_fragments()->Add(deletions.updated.begin(), deletions.updated.end());
  removal->mutable_deleted_fragment_ids()->Add(deletions.removed.begin(), deletions.removed.end());
  removal->set_predicate(predicate);
  ARROW_RETURN_NOT_OK(CallPoll(poll));
  CommitOptions options;
  options.affected_rows = std::move(rows);
  return CommitOperation(snapshot, std::move(transaction), &files, options);
}

Result<std::shared_ptr<const Snapshot>> DeleteAllRows(const Snapshot& snapshot) {
  Transaction transaction = BeginTransaction(snapshot);
  auto* removal = transaction.mutable_delete_();
  for (const FragmentSummary& fragment : snapshot.fragments()) {
    removal->add_deleted_fragment_ids(fragment.id);
  }
  removal->set_predicate(kEveryRow);
  return CommitOperation(snapshot, std::move(transaction));
}

}  // namespace lance
