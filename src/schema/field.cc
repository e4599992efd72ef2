#include <utility>

#include "arrow/extension/json.h"
#include "arrow/extension_type.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"
#include "schema/schema.h"
#include "schema/semantic_type.h"

namespace lance {
namespace {

using FieldPointer = std::shared_ptr<arrow::Field>;
using TypePointer = std::shared_ptr<arrow::DataType>;

// The map or list type over children that are made already.
Result<TypePointer> TypeOverChildren(const Field& field, std::vector<FieldPointer> children) {
  FieldKind kind = KindOfLogicalType(field.logical_type);
  if (kind == FieldKind::kStruct) return arrow::struct_(children);
  if (children.size() != 1) {
    return Corrupt("field has the wrong number of children: type ", field.logical_type, ", ",
                   children.size(), " children instead of 1");
  }
  FieldPointer item = std::move(children.front());
  if (kind == FieldKind::kList) return arrow::list(std::move(item));
  if (kind == FieldKind::kLargeList) return arrow::large_list(std::move(item));
  if (kind == FieldKind::kMap) {
    const arrow::DataType& entries = *item->type();
    bool valid = entries.id() == arrow::Type::STRUCT && entries.num_fields() == 2 &&
                 !entries.field(0)->nullable();
    if (!valid) {
      return Corrupt("map entries must be a struct of a non-null key and a value: ",
                     item->ToString());
    }
    // Entries are never null, whatever other writers declare.
    return std::make_shared<arrow::MapType>(item->WithNullable(false));
  }
  if (item->type()->id() != arrow::Type::STRUCT) {
    return Corrupt("item is no struct: type ", field.logical_type, ", item ", item->ToString());
  }
  ARROW_ASSIGN_OR_RAISE(int32_t dimension, ParseStructListDimension(field.logical_type));
  return arrow::fixed_size_list(std::move(item), dimension);
}

FieldPointer RestoreExtension(const FieldPointer& field);

// Restores extension types inside leaves: the items of fixed-size lists.
TypePointer RestoreItemExtension(const TypePointer& type) {
  if (type->id() != arrow::Type::FIXED_SIZE_LIST) return type;
  const auto& list = static_cast<const arrow::FixedSizeListType&>(*type);
  FieldPointer item = list.value_field();
  FieldPointer restored = RestoreExtension(item->WithType(RestoreItemExtension(item->type())));
  if (restored->Equals(*item, /*check_metadata=*/true)) return type;
  return arrow::fixed_size_list(std::move(restored), list.list_size());
}

// The field with the extension type that its metadata names, if the process knows it and accepts
// the storage; else the field as it is.
FieldPointer RestoreExtension(const FieldPointer& field) {
  auto name = FindMetadata(field->metadata().get(), kExtensionNameKey);
  if (!name) return field;
  std::shared_ptr<arrow::ExtensionType> known = arrow::GetExtensionType(std::string(*name));
  if (known == nullptr) return field;
  auto parameters = FindMetadata(field->metadata().get(), kExtensionMetadataKey);
  Result<TypePointer> type =
      known->Deserialize(field->type(), std::string(parameters.value_or("")));
  if (!type.ok()) return field;
  auto metadata = WithMetadata(field->metadata(), kExtensionNameKey, std::nullopt);
  metadata = WithMetadata(metadata, kExtensionMetadataKey, std::nullopt);
  return arrow::field(field->name(), *type, field->nullable(), std::move(metadata));
}

// Which Arrow a field becomes.
enum class Form : uint8_t {
  kStored,          // as data files hold it
  kOutput,          // as reads return it
  kSemanticOutput,  // the same in tables with semantic types
};

Result<FieldPointer> ToForm(const Field& field, Form form);

Result<TypePointer> LeafType(const Field& field) {
  if (field.children.empty()) return ParseLeafLogicalType(field.logical_type);
  return Corrupt("field has children, but its type '", field.logical_type,
                 "' has none: ", field.children.size(), " children");
}

// Binary JSON, whatever it was made from: older writers kept the name of JSON text.
FieldPointer StoredJson(const FieldPointer& field) {
  if (!FindMetadata(field->metadata().get(), kExtensionNameKey)) return field;
  return field->WithMetadata(WithMetadata(field->metadata(), kExtensionNameKey, kLanceJsonName));
}

FieldPointer JsonText(const FieldPointer& field) {
  auto metadata = WithMetadata(field->metadata(), kExtensionNameKey, std::nullopt);
  metadata = WithMetadata(metadata, kExtensionMetadataKey, std::nullopt);
  return arrow::field(field->name(), arrow::extension::json(arrow::utf8()), field->nullable(),
                      std::move(metadata));
}

// An extension that stands aside because the field might have had one in Arrow.
FieldPointer WithLanceExtension(const FieldPointer& field) {
  auto metadata = field->metadata();
  auto name = FindMetadata(metadata.get(), kLanceExtensionNameKey);
  if (!name || FindMetadata(metadata.get(), kExtensionNameKey)) return field;
  auto parameters = FindMetadata(metadata.get(), kLanceExtensionMetadataKey);
  std::shared_ptr<const arrow::KeyValueMetadata> shown =
      WithMetadata(metadata, kExtensionNameKey, *name);
  if (parameters) shown = WithMetadata(shown, kExtensionMetadataKey, *parameters);
  shown = WithMetadata(shown, kLanceExtensionNameKey, std::nullopt);
  shown = WithMetadata(shown, kLanceExtensionMetadataKey, std::nullopt);
  return field->WithMetadata(std::move(shown));
}

TypePointer ViewOf(const TypePointer& type) {
  return type->id() == arrow::Type::LARGE_STRING ? arrow::utf8_view() : arrow::binary_view();
}

Result<FieldPointer> ToForm(const Field& field, Form form) {
  TypePointer type;
  if (KindOfLogicalType(field.logical_type) == FieldKind::kLeaf) {
    ARROW_ASSIGN_OR_RAISE(type, LeafType(field));
    type = RestoreItemExtension(type);
  } else {
    std::vector<FieldPointer> members;
    members.reserve(field.children.size());
    for (const Field& child : field.children) {
      ARROW_ASSIGN_OR_RAISE(FieldPointer member, ToForm(child, form));
      members.push_back(std::move(member));
    }
    ARROW_ASSIGN_OR_RAISE(type, TypeOverChildren(field, std::move(members)));
  }
  auto metadata = field.metadata;
  std::optional<OutputEncoding> encoding;
  if (form == Form::kSemanticOutput) {
    encoding = OutputEncodingOf(field);
    metadata = WithMetadata(metadata, kOutputEncodingKey, std::nullopt);
    if (encoding && encoding->is_view) type = ViewOf(type);
  }
  FieldPointer arrow_field = arrow::field(field.name, std::move(type), field.nullable, metadata);
  if (field.logical_type == "json") {
    arrow_field = StoredJson(arrow_field);
    const bool is_named = arrow_field->HasMetadata() &&
                          FindMetadata(arrow_field->metadata().get(), kExtensionNameKey);
    const bool is_text = encoding ? encoding->name == kArrowJsonName : is_named;
    return form != Form::kStored && is_text ? JsonText(arrow_field) : arrow_field;
  }
  if (form == Form::kSemanticOutput) arrow_field = WithLanceExtension(arrow_field);
  return RestoreExtension(arrow_field);
}

Result<TypePointer> BuildStorageType(const Field& field, const std::string& path) {
  Result<TypePointer> type;
  if (KindOfLogicalType(field.logical_type) == FieldKind::kLeaf) {
    type = LeafType(field);
  } else {
    std::vector<FieldPointer> members;
    members.reserve(field.children.size());
    for (const Field& child : field.children) {
      ARROW_ASSIGN_OR_RAISE(TypePointer member, BuildStorageType(child, path + "." + child.name));
      members.push_back(
          arrow::field(child.name, std::move(member), child.nullable, child.metadata));
    }
    type = TypeOverChildren(field, std::move(members));
  }
  if (type.ok()) return type;
  ErrorPlace place;
  place.field = path;
  return WithPlace(type.status(), place);
}

}  // namespace

Result<std::shared_ptr<arrow::DataType>> Field::ArrowType() const {
  return BuildStorageType(*this, name);
}

Result<std::shared_ptr<arrow::Field>> Field::ToArrow() const {
  return ToForm(*this, Form::kStored);
}

Result<std::shared_ptr<arrow::Field>> Field::ToOutput(bool semantic_types) const {
  return ToForm(*this, semantic_types ? Form::kSemanticOutput : Form::kOutput);
}

bool Field::IsLeaf() const {
  FieldKind kind = KindOfLogicalType(logical_type);
  if (kind == FieldKind::kLeaf) return true;
  if (kind != FieldKind::kStruct) return false;
  return children.empty() || IsPackedStruct() ||
         FindMetadata(metadata.get(), kBlobKey).has_value() ||
         FindMetadata(metadata.get(), kExtensionNameKey) == kBlobV2Name;
}

bool Field::IsPackedStruct() const {
  return KindOfLogicalType(logical_type) == FieldKind::kStruct &&
         AsksForPackedStruct(metadata.get());
}

}  // namespace lance
