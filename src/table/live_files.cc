#include "table/live_files.h"

#include <algorithm>

namespace lance {
namespace {

/// Row lineage has ids below the tombstone's.
bool HasLiveField(const table::DataFile& file, const Schema& schema) {
  return std::any_of(file.fields().begin(), file.fields().end(), [&](int32_t id) {
    return id < kTombstoneFieldId || (id >= 0 && schema.FindById(id) != nullptr);
  });
}

}  // namespace

void BuryFields(const std::set<int32_t>& fields, table::DataFragment* fragment) {
  for (int i = fragment->files_size() - 1; i >= 0; --i) {
    bool all_buried = true;
    for (int32_t& id : *fragment->mutable_files(i)->mutable_fields()) {
      if (fields.contains(id)) id = kTombstoneFieldId;
      all_buried = all_buried && id == kTombstoneFieldId;
    }
    if (all_buried) fragment->mutable_files()->DeleteSubrange(i, 1);
  }
}

bool RemoveDeadFiles(const Schema& schema, table::DataFragment* fragment) {
  bool changed = false;
  for (int i = fragment->files_size() - 1; i >= 0; --i) {
    if (HasLiveField(fragment->files(i), schema)) continue;
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

}  // namespace lance
