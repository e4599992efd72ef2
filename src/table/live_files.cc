#include "table/live_files.h"

#include <algorithm>

#include "schema/structure_fields.h"

namespace lance {
namespace {

bool Lists(const table::DataFile& file, int32_t id) {
  return std::find(file.fields().begin(), file.fields().end(), id) != file.fields().end();
}

/// Row lineage has ids below the tombstone's.
bool HasLiveField(const table::DataFile& file, const Schema& schema) {
  return std::any_of(file.fields().begin(), file.fields().end(), [&](int32_t id) {
    return id < kTombstoneFieldId || (id >= 0 && schema.FindById(id) != nullptr);
  });
}

/// Whether a file tells of a struct or list that is left which of its values are null, and no other
/// file of the fragment does. What was dropped earlier may be of any parent.
bool MayTellStructure(const table::DataFile& dead, const Schema& before, const Schema& after,
                      const table::DataFragment& fragment) {
  const auto is_stored = [&fragment](int32_t id) {
    return std::any_of(fragment.files().begin(), fragment.files().end(),
                       [id](const table::DataFile& file) { return Lists(file, id); });
  };
  const auto is_here = [&dead](int32_t id) { return Lists(dead, id); };
  const auto lacking = FieldsWithoutStructure(after, is_stored);
  const bool has_unknown =
      std::any_of(dead.fields().begin(), dead.fields().end(),
                  [&before](int32_t id) { return id >= 0 && before.FindById(id) == nullptr; });
  if (has_unknown && !lacking.empty()) return true;
  return std::any_of(lacking.begin(), lacking.end(), [&](const Field* field) {
    const Field* old = before.FindById(field->id);
    return old != nullptr && HoldsStored(*old, is_here);
  });
}

}  // namespace

bool HoldsTombstonesOnly(const table::DataFile& file) {
  return std::all_of(file.fields().begin(), file.fields().end(),
                     [](int32_t id) { return id == kTombstoneFieldId; });
}

void BuryFields(const std::set<int32_t>& fields, table::DataFragment* fragment) {
  for (int i = fragment->files_size() - 1; i >= 0; --i) {
    for (int32_t& id : *fragment->mutable_files(i)->mutable_fields()) {
      if (fields.contains(id)) id = kTombstoneFieldId;
    }
    if (HoldsTombstonesOnly(fragment->files(i))) fragment->mutable_files()->DeleteSubrange(i, 1);
  }
}

bool RemoveDeadFiles(const Schema& schema,
                     const std::function<bool(const table::DataFile& dead)>& keep,
                     table::DataFragment* fragment) {
  bool changed = false;
  for (int i = fragment->files_size() - 1; i >= 0 && fragment->files_size() > 1; --i) {
    if (HasLiveField(fragment->files(i), schema) || keep(fragment->files(i))) continue;
    fragment->mutable_files()->DeleteSubrange(i, 1);
    changed = true;
  }
  for (int i = fragment->overlays_size() - 1; i >= 0; --i) {
    if (HasLiveField(fragment->overlays(i).data_file(), schema)) continue;
    fragment->mutable_overlays()->DeleteSubrange(i, 1);
    changed = true;
  }
  return changed;
}

bool RemoveDroppedFiles(const Schema& before, const Schema& after, table::DataFragment* fragment) {
  const auto keep = [&](const table::DataFile& dead) {
    if (HoldsTombstonesOnly(dead)) return false;
    const bool was_dead = !HasLiveField(dead, before);
    return was_dead || MayTellStructure(dead, before, after, *fragment);
  };
  return RemoveDeadFiles(after, keep, fragment);
}

}  // namespace lance
