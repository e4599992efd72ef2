#include "table/operation_footprint.h"

#include <algorithm>

namespace lance {
namespace {

using UpdateMap = table::Transaction::UpdateMap;

template <typename Fragments>
void AddIds(const Fragments& fragments, std::set<uint64_t>* ids) {
  for (const auto& fragment : fragments) ids->insert(fragment.id());
}

MapChange ChangeOf(const UpdateMap& update) {
  MapChange change;
  change.replace = update.replace();
  for (const auto& entry : update.update_entries()) {
    if (entry.has_value()) {
      change.upserts[entry.key()] = entry.value();
    } else {
      change.deletes.insert(entry.key());
    }
  }
  return change;
}

template <typename Map>
MapChange ReplacementBy(const Map& map) {
  MapChange change;
  change.replace = true;
  change.upserts.insert(map.begin(), map.end());
  return change;
}

/// Older writers replaced metadata whole.
void AddOlderForm(const table::Transaction::UpdateConfig& update, ConfigChanges* changes) {
  for (const auto& [key, value] : update.upsert_values()) changes->config.upserts[key] = value;
  changes->config.deletes.insert(update.delete_keys().begin(), update.delete_keys().end());
  if (!update.schema_metadata().empty()) {
    changes->schema_metadata = ReplacementBy(update.schema_metadata());
  }
  for (const auto& [id, field] : update.field_metadata()) {
    changes->field_metadata[static_cast<int32_t>(id)] = ReplacementBy(field.metadata());
  }
}

}  // namespace

std::set<uint64_t> RemovedFragments(const Transaction& transaction) {
  std::set<uint64_t> ids;
  if (transaction.has_delete_()) {
    const auto& removed = transaction.delete_().deleted_fragment_ids();
    ids.insert(removed.begin(), removed.end());
  } else if (transaction.has_update()) {
    const auto& removed = transaction.update().removed_fragment_ids();
    ids.insert(removed.begin(), removed.end());
  } else if (transaction.has_rewrite()) {
    for (const auto& group : RewriteGroups(transaction.rewrite())) {
      AddIds(group.old_fragments(), &ids);
    }
  }
  return ids;
}

std::set<uint64_t> UpdatedFragments(const Transaction& transaction) {
  std::set<uint64_t> ids;
  if (transaction.has_delete_()) {
    AddIds(transaction.delete_().updated_fragments(), &ids);
  } else if (transaction.has_update()) {
    AddIds(transaction.update().updated_fragments(), &ids);
  } else if (transaction.has_data_replacement()) {
    for (const auto& group : transaction.data_replacement().replacements()) {
      ids.insert(group.fragment_id());
    }
  } else if (transaction.has_data_overlay()) {
    for (const auto& group : transaction.data_overlay().groups()) ids.insert(group.fragment_id());
  }
  return ids;
}

std::set<uint64_t> TouchedFragments(const Transaction& transaction) {
  std::set<uint64_t> ids = RemovedFragments(transaction);
  ids.merge(UpdatedFragments(transaction));
  return ids;
}

std::vector<table::Transaction::Rewrite::RewriteGroup> RewriteGroups(
    const table::Transaction::Rewrite& rewrite) {
  if (rewrite.groups_size() > 0) return {rewrite.groups().begin(), rewrite.groups().end()};
  if (rewrite.old_fragments_size() == 0 && rewrite.new_fragments_size() == 0) return {};
  table::Transaction::Rewrite::RewriteGroup group;
  *group.mutable_old_fragments() = rewrite.old_fragments();
  *group.mutable_new_fragments() = rewrite.new_fragments();
  return {std::move(group)};
}

ConfigChanges ConfigChangesOf(const Transaction& transaction) {
  ConfigChanges changes;
  if (transaction.has_overwrite()) {
    for (const auto& [key, value] : transaction.overwrite().config_upsert_values()) {
      changes.config.upserts[key] = value;
    }
  }
  if (!transaction.has_update_config()) return changes;
  const auto& update = transaction.update_config();
  changes.config = ChangeOf(update.config_updates());
  changes.table_metadata = ChangeOf(update.table_metadata_updates());
  changes.schema_metadata = ChangeOf(update.schema_metadata_updates());
  for (const auto& [id, map] : update.field_metadata_updates()) {
    changes.field_metadata[id] = ChangeOf(map);
  }
  AddOlderForm(update, &changes);
  return changes;
}

bool KeysCollide(const MapChange& a, const MapChange& b) {
  auto sets_what = [](const MapChange& setter, const MapChange& other) {
    return std::any_of(setter.upserts.begin(), setter.upserts.end(), [&](const auto& entry) {
      return other.upserts.contains(entry.first) || other.deletes.contains(entry.first);
    });
  };
  return sets_what(a, b) || sets_what(b, a);
}

}  // namespace lance
