// UpdateConfig and UpdateBases.
#include <algorithm>
#include <array>
#include <map>

#include "arrow/util/key_value_metadata.h"
#include "schema/extensions.h"
#include "schema/metadata.h"
#include "schema/semantic_schema.h"
#include "table/apply_operation.h"
#include "table/base_paths.h"
#include "table/operation_footprint.h"

namespace lance {
namespace {

using Metadata = std::shared_ptr<const arrow::KeyValueMetadata>;

Metadata Change(const MapChange& change, const Metadata& before) {
  std::map<std::string, std::string> values;
  for (int64_t i = 0; before != nullptr && i < before->size(); ++i) {
    values[before->key(i)] = before->value(i);
  }
  ChangeMap(change, &values);
  if (values.empty()) return nullptr;
  auto after = std::make_shared<arrow::KeyValueMetadata>();
  for (auto& [key, value] : values) after->Append(key, value);
  return after;
}

struct FoundField {
  Field* field = nullptr;
  std::string path;
};

FoundField FindField(std::vector<Field>* fields, int32_t id) {
  for (Field& field : *fields) {
    if (field.id == id) return {&field, field.name};
    FoundField found = FindField(&field.children, id);
    if (found.field != nullptr) return {found.field, field.name + "." + found.path};
  }
  return {};
}

bool SameKeys(const Field& a, const Field& b) {
  return a.unenforced_primary_key == b.unenforced_primary_key &&
         a.unenforced_primary_key_position == b.unenforced_primary_key_position;
}

// Keys that say what type a field has in a table with semantic types, and those that go with them.
using TypeKeys = std::array<std::string_view, 2>;
constexpr std::array<TypeKeys, 5> kTypeKeys = {
    {{kOutputEncodingKey, ""},
     {kExtensionNameKey, kExtensionMetadataKey},
     {kLanceExtensionNameKey, kLanceExtensionMetadataKey},
     {kBlobKey, ""},
     {kPackedKey, kOldPackedKey}}};

bool Names(const MapChange& change, const TypeKeys& keys) {
  return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
    const std::string name(key);
    return change.upserts.contains(name) || change.deletes.contains(name);
  });
}

/// The type of a field is none of its free metadata: what replaces that keeps it, unless it says
/// something else.
Metadata WithTypeKept(const MapChange& change, const Metadata& before, Metadata after) {
  if (!change.replace) return after;
  for (const TypeKeys& keys : kTypeKeys) {
    if (Names(change, keys)) continue;
    for (std::string_view key : keys) {
      if (auto value = FindMetadata(before.get(), key)) after = WithMetadata(after, key, *value);
    }
  }
  return after;
}

Status CheckType(const Field& before, const std::string& path, Field* after) {
  if (!SameSemanticType(before, *after) || before.IsPackedStruct() != after->IsPackedStruct()) {
    return WithPlace(UserError("metadata can't change what a field means or how it is stored: '",
                               kBlobKey, "' and '", kPackedKey, "' are set when it is created"),
                     {.field = path});
  }
  const Status extensions = CheckExtensionChange(before, *after);
  if (!extensions.ok()) return WithPlace(extensions, {.field = path});
  const auto encoding_of = [](const Field& field) {
    return FindMetadata(field.metadata.get(), kOutputEncodingKey);
  };
  return encoding_of(before) == encoding_of(*after) ? Status::OK()
                                                    : UpdateOutputEncoding(path, after);
}

Status ChangeField(int32_t id, const MapChange& change, Schema* schema) {
  const auto [field, path] = FindField(&schema->fields, id);
  if (field == nullptr) return UserError("table has no field with id ", id);
  const Field before = *field;
  field->metadata = Change(change, field->metadata);
  if (schema->semantic_types) {
    field->metadata = WithTypeKept(change, before.metadata, field->metadata);
    ARROW_RETURN_NOT_OK(CheckType(before, path, field));
  }
  ReadKeys(field);
  if (before.unenforced_primary_key && !SameKeys(before, *field)) {
    return UserError("the primary key can't be changed once it is set: column '", field->name, "'");
  }
  return Status::OK();
}

}  // namespace

Status ApplyUpdateConfig(const Transaction& transaction, NextVersion* next) {
  ConfigChanges changes = ConfigChangesOf(transaction);
  Manifest& manifest = next->manifest;
  ChangeMap(changes.config, manifest.head.mutable_config());
  ChangeMap(changes.table_metadata, manifest.head.mutable_table_metadata());
  if (changes.schema_metadata.empty() && changes.field_metadata.empty()) return Status::OK();
  Schema schema = manifest.schema;
  schema.metadata = Change(changes.schema_metadata, schema.metadata);
  for (const auto& [id, change] : changes.field_metadata) {
    ARROW_RETURN_NOT_OK(ChangeField(id, change, &schema));
  }
  ARROW_RETURN_NOT_OK(schema.Validate());
  manifest.SetSchema(std::move(schema));
  return Status::OK();
}

Status ApplyUpdateBases(const table::Transaction::UpdateBases& update, NextVersion* next) {
  return AddBasePaths(update.new_bases(), next->manifest.head.mutable_base_paths());
}

}  // namespace lance
