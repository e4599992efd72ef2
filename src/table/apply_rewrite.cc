// Rewrite, ReserveFragments and CreateIndex.
#include <limits>
#include <set>

#include "table/apply_operation.h"
#include "table/new_fragments.h"
#include "table/operation_footprint.h"
#include "table/system_index.h"

namespace lance {
namespace {

Status CheckOldFragments(const ReplacedFragments& group, const Manifest& manifest) {
  for (uint64_t id : group.old_ids) {
    if (manifest.FindFragment(id) != nullptr) continue;
    return MakeError(ErrorCode::kRetryableConflict,
                     internal::Concat("fragment ", id,
                                      " to be compacted is not in the table any more; please "
                                      "retry"));
  }
  return Status::OK();
}

/// Puts entries that were written anew in the place of the old ones; returns their uuids.
std::set<std::string> SwapRewritten(const table::Transaction::Rewrite& rewrite,
                                    IndexEntries* entries) {
  std::set<std::string> remapped;
  for (const auto& rewritten : rewrite.rewritten_indices()) {
    for (auto& entry : *entries) {
      if (entry.uuid().uuid() != rewritten.old_id().uuid()) continue;
      *entry.mutable_uuid() = rewritten.new_id();
      *entry.mutable_index_details() = rewritten.new_index_details();
      entry.set_index_version(static_cast<int32_t>(rewritten.new_index_version()));
      *entry.mutable_files() = rewritten.new_index_files();
      entry.clear_base_id();
      remapped.insert(rewritten.new_id().uuid());
    }
  }
  return remapped;
}

Status CheckCoveringFields(const table::IndexMetadata& entry) {
  int extra = entry.fields_size() - entry.covering_fields_size();
  bool is_suffix = extra >= 0;
  for (int i = 0; is_suffix && i < entry.covering_fields_size(); ++i) {
    is_suffix = entry.covering_fields(i) == entry.fields(extra + i);
  }
  if (is_suffix) return Status::OK();
  return UserError("covering fields of index '", entry.name(), "' are not the last of its fields");
}

}  // namespace

Status ApplyRewrite(const table::Transaction::Rewrite& rewrite, NextVersion* next) {
  std::vector<ReplacedFragments> replaced;
  for (const auto& group : RewriteGroups(rewrite)) {
    ReplacedFragments ids;
    for (const auto& fragment : group.old_fragments()) ids.old_ids.insert(fragment.id());
    ARROW_RETURN_NOT_OK(CheckOldFragments(ids, next->manifest));
    next->manifest.RemoveFragments(ids.old_ids);
    std::vector<table::DataFragment> fragments(group.new_fragments().begin(),
                                               group.new_fragments().end());
    ARROW_ASSIGN_OR_RAISE(auto added, AddNewFragments(std::move(fragments), ids.old_ids, next));
    for (const auto& fragment : added) ids.new_ids.insert(fragment.id());
    replaced.push_back(std::move(ids));
  }
  if (!next->indexes.Encode()) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, next->indexes.Edit());
  std::set<std::string> remapped = SwapRewritten(rewrite, entries);
  return ReplaceCoverage(replaced, next->stable_row_ids, remapped, entries);
}

Status ApplyReserveFragments(const table::Transaction::ReserveFragments& reserve,
                             NextVersion* next) {
  uint64_t max = next->newest->max_fragment_id().value_or(0);
  max += reserve.num_fragments();
  if (max > std::numeric_limits<uint32_t>::max()) {
    return Unsupported("table has given out all of its 2^32 fragment ids");
  }
  next->manifest.head.set_max_fragment_id(static_cast<uint32_t>(max));
  return Status::OK();
}

Status ApplyCreateIndex(const table::Transaction::CreateIndex& create, NextVersion* next) {
  ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, next->indexes.Edit());
  std::set<std::string> removed;
  for (const auto& entry : create.removed_indices()) removed.insert(entry.uuid().uuid());
  for (const auto& entry : create.new_indices()) removed.insert(entry.uuid().uuid());
  for (int i = entries->size() - 1; i >= 0; --i) {
    if (removed.contains(entries->Get(i).uuid().uuid())) entries->DeleteSubrange(i, 1);
  }
  for (const auto& entry : create.new_indices()) {
    if (!IsSystemIndex(entry.name())) {
      for (int32_t id : entry.fields()) {
        if (next->manifest.schema.FindById(id) != nullptr) continue;
        return UserError("index '", entry.name(), "' is on field ", id, ", which the table lacks");
      }
    }
    ARROW_RETURN_NOT_OK(CheckCoveringFields(entry));
    *entries->Add() = entry;
  }
  return Status::OK();
}

}  // namespace lance
