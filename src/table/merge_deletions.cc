#include "table/merge_deletions.h"

#include <algorithm>

#include "table/fragment_deletions.h"

namespace lance {
namespace {

using Fragments = google::protobuf::RepeatedPtrField<table::DataFragment>;
using Ids = google::protobuf::RepeatedField<uint64_t>;

Fragments* UpdatedList(Transaction* transaction) {
  return transaction->has_delete_() ? transaction->mutable_delete_()->mutable_updated_fragments()
                                    : transaction->mutable_update()->mutable_updated_fragments();
}

Ids* RemovedList(Transaction* transaction) {
  return transaction->has_delete_() ? transaction->mutable_delete_()->mutable_deleted_fragment_ids()
                                    : transaction->mutable_update()->mutable_removed_fragment_ids();
}

void Remove(uint64_t id, Transaction* transaction) {
  Fragments* updated = UpdatedList(transaction);
  for (int i = updated->size() - 1; i >= 0; --i) {
    if (updated->Get(i).id() == id) updated->DeleteSubrange(i, 1);
  }
  Ids* removed = RemovedList(transaction);
  if (std::find(removed->begin(), removed->end(), id) == removed->end()) removed->Add(id);
}

void Update(const table::DataFragment& fragment, Transaction* transaction) {
  for (auto& updated : *UpdatedList(transaction)) {
    if (updated.id() == fragment.id()) updated = fragment;
  }
}

}  // namespace

Status MergeDeletions(const Context& context, const TableLocation& table, const Manifest& newest,
                      const RowAddressSet& affected_rows, const std::set<uint64_t>& fragments,
                      Transaction* transaction, std::vector<std::string>* written) {
  for (uint64_t id : fragments) {
    auto ours = affected_rows.fragments.find(static_cast<uint32_t>(id));
    const FragmentSummary* summary = newest.FindFragment(id);
    if (ours == affected_rows.fragments.end() || summary == nullptr) {
      return MakeError(ErrorCode::kRetryableConflict,
                       internal::Concat("fragment ", id, " was changed meanwhile; please retry"));
    }
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(*summary));
    ARROW_ASSIGN_OR_RAISE(auto deleted, ReadDeletedOffsets(context, table, newest, fragment));
    if (deleted.intersect(ours->second)) {
      return MakeError(
          ErrorCode::kRetryableConflict,
          internal::Concat("rows of fragment ", id,
                           " were deleted or updated by another writer meanwhile; please retry"));
    }
    deleted |= ours->second;
    ARROW_ASSIGN_OR_RAISE(bool rows_left, SetDeletedOffsets(context, table, newest.version(),
                                                            deleted, &fragment, written));
    if (rows_left) {
      Update(fragment, transaction);
    } else {
      Remove(id, transaction);
    }
  }
  return Status::OK();
}

}  // namespace lance
