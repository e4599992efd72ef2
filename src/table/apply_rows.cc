// Delete and Update.
#include <algorithm>

#include "table/apply_operation.h"
#include "table/fragment_bitmap.h"
#include "table/live_files.h"
#include "table/new_fragments.h"
#include "table/operation_footprint.h"
#include "table/row_id_sequence.h"
#include "table/version_sequence.h"

namespace lance {
namespace {

using Update = table::Transaction::Update;

std::set<int32_t> FieldSet(const google::protobuf::RepeatedField<uint32_t>& ids) {
  std::set<int32_t> fields;
  for (uint32_t id : ids) fields.insert(static_cast<int32_t>(id));
  return fields;
}

Result<table::DataFragment> CurrentFragment(const Manifest& manifest, uint64_t id) {
  const FragmentSummary* summary = manifest.FindFragment(id);
  if (summary == nullptr) return UserError("table has no fragment ", id, " to be changed");
  return ParseFragment(*summary);
}

/// The offsets of updated rows that the transaction notes for a fragment; nothing: not noted.
Result<std::optional<RoaringBitmap>> UpdatedOffsets(const Update& update, uint64_t fragment) {
  auto bitmap = update.updated_fragment_offset_bitmaps().find(fragment);
  if (bitmap != update.updated_fragment_offset_bitmaps().end()) {
    return DecodeFragmentBitmap(bitmap->second);
  }
  auto list = update.updated_fragment_offsets().find(fragment);
  if (list == update.updated_fragment_offsets().end()) return std::nullopt;
  RoaringBitmap offsets;
  for (uint32_t offset : list->second.values()) offsets.add(offset);
  return offsets;
}

/// Values of rows were changed in place: these rows were updated by this version.
Status StampUpdatedRows(const Update& update, uint64_t version, table::DataFragment* fragment) {
  ARROW_ASSIGN_OR_RAISE(auto offsets, UpdatedOffsets(update, fragment->id()));
  if (!offsets || fragment->has_column_last_updated_at_versions()) return Status::OK();
  // Rows of tables that kept no versions count as made by the first one.
  VersionSequence versions = VersionSequence::Uniform(1, fragment->physical_rows());
  if (fragment->has_inline_last_updated_at_versions()) {
    ARROW_ASSIGN_OR_RAISE(
        versions, VersionSequence::Decode(AsBytes(fragment->inline_last_updated_at_versions())));
  }
  if (versions.size() != fragment->physical_rows() ||
      (!offsets->isEmpty() && offsets->maximum() >= versions.size())) {
    return UserError("fragment ", fragment->id(), " has ", fragment->physical_rows(),
                     " rows, but versions of ", versions.size(), ", or updates of rows beyond");
  }
  std::vector<uint32_t> updated(offsets->cardinality());
  offsets->toUint32Array(updated.data());
  fragment->set_inline_last_updated_at_versions(versions.WithVersion(version, updated).Encode());
  return Status::OK();
}

/// Whether the table still has the file, with fields that other files have not taken over.
bool IsNowHere(const table::DataFile& file, const table::DataFragment& current) {
  return !HoldsTombstonesOnly(file) &&
         std::any_of(current.files().begin(), current.files().end(),
                     [&file](const table::DataFile& other) { return other.path() == file.path(); });
}

Status ReplaceUpdated(const Update& update, NextVersion* next) {
  std::vector<table::DataFragment> replaced;
  for (table::DataFragment fragment : update.updated_fragments()) {
    ARROW_ASSIGN_OR_RAISE(auto current, CurrentFragment(next->manifest, fragment.id()));
    *fragment.mutable_overlays() = current.overlays();
    // Their columns were dropped meanwhile, or written anew.
    const auto is_kept = [&current](const table::DataFile& dead) {
      return IsNowHere(dead, current);
    };
    (void)RemoveDeadFiles(next->manifest.schema, is_kept, &fragment);
    for (const auto& file : fragment.files()) ARROW_RETURN_NOT_OK(CheckDataFile(file, next));
    if (update.update_mode() == Update::REWRITE_COLUMNS && next->stable_row_ids) {
      ARROW_RETURN_NOT_OK(StampUpdatedRows(update, next->manifest.version(), &fragment));
    }
    replaced.push_back(std::move(fragment));
  }
  return next->manifest.ReplaceFragments(replaced);
}

Status UpdateIndexes(const Transaction& transaction, const std::set<uint64_t>& moved,
                     NextVersion* next) {
  if (!next->indexes.Encode()) return Status::OK();
  const Update& update = transaction.update();
  ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, next->indexes.Edit());
  ARROW_RETURN_NOT_OK(PruneCoverage(UpdatedFragments(transaction),
                                    FieldSet(update.fields_modified()), next->manifest, entries));
  if (!next->stable_row_ids || update.update_mode() != Update::REWRITE_ROWS) return Status::OK();
  return CoverMovedRows(TouchedFragments(transaction), moved,
                        FieldSet(update.fields_for_preserving_frag_bitmap()), entries);
}

bool BringsAllRowIds(const table::DataFragment& fragment) {
  if (!fragment.has_inline_row_ids()) return fragment.has_column_row_ids();
  auto ids = RowIdSequence::Decode(AsBytes(fragment.inline_row_ids()));
  return ids.ok() && ids->size() == fragment.physical_rows();
}

}  // namespace

Status ApplyDelete(const table::Transaction::Delete& removal, NextVersion* next) {
  std::vector<table::DataFragment> changed;
  for (const auto& updated : removal.updated_fragments()) {
    // All but the deletion file may have changed since the deletion was computed.
    ARROW_ASSIGN_OR_RAISE(auto fragment, CurrentFragment(next->manifest, updated.id()));
    if (updated.has_deletion_file()) {
      *fragment.mutable_deletion_file() = updated.deletion_file();
    } else {
      fragment.clear_deletion_file();
    }
    changed.push_back(std::move(fragment));
  }
  ARROW_RETURN_NOT_OK(next->manifest.ReplaceFragments(changed));
  const auto& removed = removal.deleted_fragment_ids();
  next->manifest.RemoveFragments({removed.begin(), removed.end()});
  return Status::OK();
}

Status ApplyUpdate(const Update& update, NextVersion* next) {
  if (update.compacted_sstables_size() > 0) {
    return Unsupported("committing the progress of a MemWAL");
  }
  Transaction transaction;
  *transaction.mutable_update() = update;
  ARROW_RETURN_NOT_OK(ReplaceUpdated(update, next));
  next->manifest.RemoveFragments(RemovedFragments(transaction));
  std::vector<table::DataFragment> fragments(update.new_fragments().begin(),
                                             update.new_fragments().end());
  std::vector<bool> only_moved;
  only_moved.reserve(fragments.size());
  for (const auto& fragment : fragments) only_moved.push_back(BringsAllRowIds(fragment));
  ARROW_ASSIGN_OR_RAISE(auto added,
                        AddNewFragments(std::move(fragments), TouchedFragments(transaction), next));
  std::set<uint64_t> moved;
  for (size_t i = 0; i < added.size(); ++i) {
    if (only_moved[i]) moved.insert(added[i].id());
  }
  return UpdateIndexes(transaction, moved, next);
}

}  // namespace lance
