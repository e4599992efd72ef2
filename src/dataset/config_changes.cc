#include "dataset/config_changes.h"

#include "dataset/commit_operation.h"

namespace lance {
namespace {

using UpdateMap = table::Transaction::UpdateMap;

void ToProto(const MapChanges& changes, UpdateMap* map) {
  map->set_replace(changes.replace);
  for (const auto& [key, value] : changes.entries) {
    auto* entry = map->add_update_entries();
    entry->set_key(key);
    if (value) entry->set_value(*value);
  }
}

Status CheckField(const Schema& schema, const std::string& path, const Field* field) {
  if (field != nullptr) return Status::OK();
  std::string names;
  for (const Field& known : schema.fields)
    names += (names.empty() ? "'" : ", '") + known.name + "'";
  return UserError("Field '", path, "' not found. Available fields: [", names, "]");
}

}  // namespace

Result<std::shared_ptr<const Snapshot>> ChangeMetadata(const Snapshot& snapshot,
                                                       const MetadataChanges& changes) {
  const Schema& schema = snapshot.manifest().schema;
  Transaction transaction = BeginTransaction(snapshot);
  auto* update = transaction.mutable_update_config();
  if (changes.config) ToProto(*changes.config, update->mutable_config_updates());
  if (changes.table) ToProto(*changes.table, update->mutable_table_metadata_updates());
  if (changes.schema) ToProto(*changes.schema, update->mutable_schema_metadata_updates());
  for (const auto& [path, change] : changes.fields) {
    const Field* field = schema.FindByPath(path);
    ARROW_RETURN_NOT_OK(CheckField(schema, path, field));
    ToProto(change, &(*update->mutable_field_metadata_updates())[field->id]);
  }
  return CommitOperation(snapshot, std::move(transaction));
}

}  // namespace lance
