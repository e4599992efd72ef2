// Restore and Clone: versions made of other versions.
#include <algorithm>

#include "table/apply_operation.h"

namespace lance {
namespace {

/// Files that lie in the cloned table itself are found by a base path from now on.
Status PointTo(uint32_t base_id, NextVersion* next) {
  std::vector<table::DataFragment> fragments;
  for (const FragmentSummary& summary : next->manifest.fragments) {
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
    for (auto& file : *fragment.mutable_files()) {
      if (!file.has_base_id()) file.set_base_id(base_id);
    }
    for (auto& overlay : *fragment.mutable_overlays()) {
      if (!overlay.data_file().has_base_id()) overlay.mutable_data_file()->set_base_id(base_id);
    }
    if (fragment.has_deletion_file() && !fragment.deletion_file().has_base_id()) {
      fragment.mutable_deletion_file()->set_base_id(base_id);
    }
    fragments.push_back(std::move(fragment));
  }
  ARROW_RETURN_NOT_OK(next->manifest.ReplaceFragments(fragments));
  if (!next->indexes.Encode()) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, next->indexes.Edit());
  for (auto& entry : *entries) {
    if (!entry.has_base_id()) entry.set_base_id(base_id);
  }
  return Status::OK();
}

/// All files were copied into the clone.
Status PointHome(NextVersion* next) {
  std::vector<table::DataFragment> fragments;
  for (const FragmentSummary& summary : next->manifest.fragments) {
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
    for (auto& file : *fragment.mutable_files()) file.clear_base_id();
    for (auto& overlay : *fragment.mutable_overlays()) {
      overlay.mutable_data_file()->clear_base_id();
    }
    if (fragment.has_deletion_file()) fragment.mutable_deletion_file()->clear_base_id();
    fragments.push_back(std::move(fragment));
  }
  ARROW_RETURN_NOT_OK(next->manifest.ReplaceFragments(fragments));
  next->manifest.head.clear_base_paths();
  if (!next->indexes.Encode()) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, next->indexes.Edit());
  for (auto& entry : *entries) entry.clear_base_id();
  return Status::OK();
}

uint32_t UnusedBaseId(const Manifest& manifest) {
  uint32_t id = 0;
  auto used = [&](const table::BasePath& base) { return base.id() == id; };
  const auto& bases = manifest.head.base_paths();
  while (std::any_of(bases.begin(), bases.end(), used)) ++id;
  return id;
}

}  // namespace

Status ApplyRestore(NextVersion* next) {
  const Manifest& newest = *next->newest;
  auto& head = next->manifest.head;
  if (newest.has_stable_row_ids() && !next->stable_row_ids) {
    return UserError("version to restore is from before the table got stable row ids");
  }
  if (newest.head.has_max_allocated_field_id() && !head.has_max_allocated_field_id()) {
    return UserError("version to restore is from before field ids became non-reusable");
  }
  if (auto max = newest.max_fragment_id()) {
    head.set_max_fragment_id(std::max(*max, next->manifest.max_fragment_id().value_or(0)));
  }
  head.set_next_row_id(std::max(head.next_row_id(), newest.head.next_row_id()));
  if (newest.head.has_max_allocated_field_id()) {
    head.set_max_allocated_field_id(
        std::max(head.max_allocated_field_id(), newest.head.max_allocated_field_id()));
  }
  return Status::OK();
}

Status ApplyClone(const table::Transaction::Clone& clone, NextVersion* next) {
  auto& head = next->manifest.head;
  head.clear_branch();
  head.clear_tag();
  if (!clone.is_shallow()) return PointHome(next);
  if (clone.has_branch_name()) head.set_branch(clone.branch_name());
  uint32_t base_id = UnusedBaseId(next->manifest);
  ARROW_RETURN_NOT_OK(PointTo(base_id, next));
  auto* base = head.add_base_paths();
  base->set_id(base_id);
  base->set_is_dataset_root(true);
  base->set_path(clone.ref_path());
  if (clone.has_ref_name()) base->set_name(clone.ref_name());
  return Status::OK();
}

}  // namespace lance
