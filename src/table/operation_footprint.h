#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "table/transaction.h"

namespace lance {

/// What an operation touches, as far as its transaction says. Conflicts are judged by these sets.

/// Fragments that it takes out of the table whole.
std::set<uint64_t> RemovedFragments(const Transaction& transaction);
/// Fragments that it changes in place.
std::set<uint64_t> UpdatedFragments(const Transaction& transaction);
/// Both: fragments that it changes, replaces or removes.
std::set<uint64_t> TouchedFragments(const Transaction& transaction);

/// The old and new fragments of a Rewrite, also of the older form without groups.
std::vector<table::Transaction::Rewrite::RewriteGroup> RewriteGroups(
    const table::Transaction::Rewrite& rewrite);

/// What an UpdateConfig, of the present or of the older form, does to one map.
struct MapChange {
  bool replace = false;
  std::map<std::string, std::string> upserts;
  std::set<std::string> deletes;

  bool empty() const { return !replace && upserts.empty() && deletes.empty(); }
};
struct ConfigChanges {
  MapChange config;
  MapChange table_metadata;
  MapChange schema_metadata;
  std::map<int32_t, MapChange> field_metadata;
};
ConfigChanges ConfigChangesOf(const Transaction& transaction);

/// Whether a key is set by both, or set by one and deleted by the other.
bool KeysCollide(const MapChange& a, const MapChange& b);

/// Makes the change to a map of strings (of protobuf or of the standard library).
template <typename Map>
void ChangeMap(const MapChange& change, Map* map) {
  if (change.replace) map->clear();
  for (const auto& key : change.deletes) map->erase(key);
  for (const auto& [key, value] : change.upserts) (*map)[key] = value;
}

}  // namespace lance
