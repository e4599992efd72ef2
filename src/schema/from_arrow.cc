#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "arrow/extension_type.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "arrow/util/utf8.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"
#include "schema/nesting.h"
#include "schema/schema.h"

namespace lance {
namespace {

using MetadataPointer = std::shared_ptr<const arrow::KeyValueMetadata>;

template <typename T>
std::optional<T> ParseNumber(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  T value = 0;
  const char* end = text->data() + text->size();
  auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

MetadataPointer NullIfEmpty(const MetadataPointer& metadata) {
  return metadata != nullptr && metadata->size() != 0 ? metadata : nullptr;
}

// The field's metadata, in which an extension type has left its name and parameters.
MetadataPointer WithExtension(const arrow::Field& field) {
  MetadataPointer metadata = NullIfEmpty(field.metadata());
  if (field.type()->id() != arrow::Type::EXTENSION) return metadata;
  const auto& extension = static_cast<const arrow::ExtensionType&>(*field.type());
  metadata = WithMetadata(metadata, kExtensionNameKey, extension.extension_name());
  return WithMetadata(metadata, kExtensionMetadataKey, extension.Serialize());
}

Status PresetId(Field* field) {
  auto text = FindMetadata(field->metadata.get(), kFieldIdKey);
  if (!text) return Status::OK();
  std::optional<int32_t> id = ParseNumber<int32_t>(text);
  if (!id) {
    return UserError("metadata '", kFieldIdKey, "' is not a field id: '", *text,
                     "'; give a number or remove the key");
  }
  field->id = std::max(*id, kUnassignedFieldId);
  field->metadata = WithMetadata(field->metadata, kFieldIdKey, std::nullopt);
  return Status::OK();
}

// What manifests and files keep as text.
Status CheckText(std::string_view what, const std::string& text) {
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(text)) return UserError(what, " is not valid UTF-8");
  return Status::OK();
}

Status CheckKeys(const arrow::KeyValueMetadata* metadata) {
  if (metadata == nullptr) return Status::OK();
  for (const std::string& key : metadata->keys()) {
    ARROW_RETURN_NOT_OK(CheckText("a key of the metadata", key));
  }
  return Status::OK();
}

Status CheckTexts(const arrow::Field& field) {
  ARROW_RETURN_NOT_OK(CheckText("the name of the field", field.name()));
  if (field.name().find('\0') != std::string::npos) {
    return UserError("the name of the field holds a NUL character, at which others cut it off");
  }
  return CheckKeys(field.metadata().get());
}

Result<Field> FieldFromArrow(const arrow::Field& source, const std::string& path,
                             int32_t level = 1) {
  if (level > kMaxFieldLevels) {
    return UserError("schema is nested too deeply: field '", path, "' has more than ",
                     kMaxFieldLevels, " levels");
  }
  if (Status texts = CheckTexts(source); !texts.ok()) return WithPlace(texts, {.field = path});
  Field field;
  field.name = source.name();
  field.nullable = source.nullable();
  field.metadata = WithExtension(source);
  ErrorPlace place;
  place.field = path;

  std::shared_ptr<arrow::DataType> storage = StorageType(source.type());
  if (IsStoredAsJson(ExtensionNameOf(source), *storage)) {
    field.logical_type = "json";
    field.metadata = WithMetadata(field.metadata, kExtensionNameKey, kLanceJsonName);
  } else {
    Result<std::string> logical_type = LogicalTypeOf(*storage);
    if (!logical_type.ok()) return WithPlace(logical_type.status(), place);
    field.logical_type = *std::move(logical_type);
  }
  Status status = PresetId(&field);
  if (!status.ok()) return WithPlace(status, place);
  ReadKeys(&field);

  if (KindOfLogicalType(field.logical_type) == FieldKind::kLeaf) return field;
  field.children.reserve(static_cast<size_t>(storage->num_fields()));
  for (const std::shared_ptr<arrow::Field>& child : storage->fields()) {
    ARROW_ASSIGN_OR_RAISE(Field converted,
                          FieldFromArrow(*child, path + "." + child->name(), level + 1));
    field.children.push_back(std::move(converted));
  }
  return field;
}

Status AssignIds(std::vector<Field>* fields, int32_t* next_id) {
  for (Field& field : *fields) {
    if (field.id == kUnassignedFieldId) {
      if (*next_id < 0) return UserError("field ids are used up; write the table anew");
      field.id = *next_id;
      *next_id = field.id == INT32_MAX ? -1 : field.id + 1;
    }
    ARROW_RETURN_NOT_OK(AssignIds(&field.children, next_id));
  }
  return Status::OK();
}

}  // namespace

void ReadKeys(Field* field) {
  const arrow::KeyValueMetadata* metadata = field->metadata.get();
  auto position = ParseNumber<uint32_t>(FindMetadata(metadata, kPrimaryKeyPositionKey));
  field->unenforced_primary_key =
      position.has_value() || IsTruthy(FindMetadata(metadata, kPrimaryKeyKey).value_or(""));
  field->unenforced_primary_key_position = position.value_or(0);
  field->unenforced_clustering_key_position =
      ParseNumber<uint32_t>(FindMetadata(metadata, kClusteringKeyPositionKey)).value_or(0);
}

Result<Schema> Schema::FromArrow(const arrow::Schema& schema, int32_t first_id) {
  ARROW_RETURN_NOT_OK(CheckKeys(schema.metadata().get()));
  Schema converted;
  converted.metadata = NullIfEmpty(schema.metadata());
  for (const std::shared_ptr<arrow::Field>& field : schema.fields()) {
    ARROW_ASSIGN_OR_RAISE(Field top, FieldFromArrow(*field, field->name()));
    converted.fields.push_back(std::move(top));
  }
  int32_t largest = converted.MaxFieldId();
  int32_t next_id = largest == INT32_MAX ? -1 : std::max(first_id, largest + 1);
  ARROW_RETURN_NOT_OK(AssignIds(&converted.fields, &next_id));
  return converted;
}

}  // namespace lance
