#include <utility>

#include "arrow/extension_type.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"
#include "schema/schema.h"

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

Result<TypePointer> LeafType(const Field& field) {
  if (field.children.empty()) return ParseLeafLogicalType(field.logical_type);
  return Corrupt("field has children, but its type '", field.logical_type,
                 "' has none: ", field.children.size(), " children");
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
  TypePointer type;
  if (KindOfLogicalType(logical_type) == FieldKind::kLeaf) {
    ARROW_ASSIGN_OR_RAISE(type, LeafType(*this));
    type = RestoreItemExtension(type);
  } else {
    std::vector<FieldPointer> members;
    members.reserve(children.size());
    for (const Field& child : children) {
      ARROW_ASSIGN_OR_RAISE(FieldPointer member, child.ToArrow());
      members.push_back(std::move(member));
    }
    ARROW_ASSIGN_OR_RAISE(type, TypeOverChildren(*this, std::move(members)));
  }
  FieldPointer field = arrow::field(name, std::move(type), nullable, metadata);
  if (logical_type != "json") return RestoreExtension(field);
  // Binary JSON, whatever it was made from: older writers kept the name of JSON text.
  if (!FindMetadata(metadata.get(), kExtensionNameKey)) return field;
  return field->WithMetadata(WithMetadata(metadata, kExtensionNameKey, kLanceJsonName));
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
