#include "file/leaf_column.h"

#include <limits>

#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "schema/blob.h"

namespace lance {
namespace {

using encoding::Layer;
using encoding::LayerKind;
using encoding::LeafShape;

// Values of fixed or variable width; false for neither.
bool SetVariable(const arrow::DataType& type, bool* variable, bool* large) {
  switch (type.id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      *variable = true;
      *large = false;
      return true;
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      *variable = true;
      *large = true;
      return true;
    default:
      return false;
  }
}

Status SetFixedSizeList(const arrow::DataType& type, LeafShape* shape) {
  const arrow::DataType* inner = &type;
  uint64_t items = 1;
  while (inner->id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = static_cast<const arrow::FixedSizeListType&>(*inner);
    const auto dimension = static_cast<uint64_t>(list.list_size());
    if (list.list_size() < 1 || items > std::numeric_limits<uint32_t>::max() / dimension) {
      return Corrupt("fixed-size list of dimension ", list.list_size());
    }
    items *= dimension;
    shape->dimensions.push_back(static_cast<uint32_t>(dimension));
    inner = list.value_type().get();
  }
  // No writer stores values of other lists, but there are columns of null lists of strings.
  if (!arrow::is_fixed_width(inner->id())) return Status::OK();
  shape->value_bits =
      items * static_cast<uint64_t>(static_cast<const arrow::FixedWidthType&>(*inner).bit_width());
  return Status::OK();
}

Status SetValues(const arrow::DataType& type, LeafShape* shape) {
  bool variable = false;
  if (SetVariable(type, &variable, &shape->large_offsets)) {
    shape->values = LeafShape::Values::kVariable;
    return Status::OK();
  }
  switch (type.id()) {
    case arrow::Type::NA:
      shape->values = LeafShape::Values::kNone;
      return Status::OK();
    case arrow::Type::STRUCT:
      shape->values = LeafShape::Values::kEmptyStruct;
      return Status::OK();
    case arrow::Type::FIXED_SIZE_LIST:
      return SetFixedSizeList(type, shape);
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryType&>(type);
      shape->is_dictionary = true;
      shape->value_bits = static_cast<uint64_t>(
          static_cast<const arrow::FixedWidthType&>(*dictionary.index_type()).bit_width());
      const arrow::DataType& items = *dictionary.value_type();
      if (SetVariable(items, &shape->dictionary_variable, &shape->dictionary_large_offsets)) {
        return Status::OK();
      }
      if (!arrow::is_fixed_width(items.id())) {
        return Unsupported("dictionary of ", items.ToString());
      }
      shape->dictionary_value_bits =
          static_cast<uint64_t>(static_cast<const arrow::FixedWidthType&>(items).bit_width());
      return Status::OK();
    }
    default:
      break;
  }
  if (!arrow::is_fixed_width(type.id())) return Unsupported("column of type ", type.ToString());
  shape->value_bits =
      static_cast<uint64_t>(static_cast<const arrow::FixedWidthType&>(type).bit_width());
  return Status::OK();
}

Status SetPackedStruct(const Field& field, LeafShape* shape) {
  shape->values = LeafShape::Values::kPackedStruct;
  bool all_fixed = true;
  uint64_t bits = 0;
  for (const Field& child : field.children) {
    LeafShape member;
    ARROW_ASSIGN_OR_RAISE(auto type, child.ArrowType());
    if (type->id() == arrow::Type::STRUCT && !child.children.empty()) {
      ARROW_RETURN_NOT_OK(SetPackedStruct(child, &member));
    } else {
      ARROW_RETURN_NOT_OK(SetValues(*type, &member));
    }
    const bool fixed = member.values == LeafShape::Values::kFixed && !member.is_dictionary;
    if (!fixed && member.values != LeafShape::Values::kVariable &&
        member.values != LeafShape::Values::kPackedStruct) {
      return Unsupported("packed struct with the member '", child.name, "' of type ",
                         type->ToString());
    }
    all_fixed &= member.value_bits > 0;
    bits += member.value_bits;
    shape->members.push_back(std::move(member));
  }
  shape->value_bits = all_fixed ? bits : 0;
  return Status::OK();
}

Status AddLayers(const Field& field, bool is_leaf, LeafShape* shape) {
  if (is_leaf) {
    shape->layers.push_back({LayerKind::kItem});
    return Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(auto type, field.ArrowType());
  switch (type->id()) {
    case arrow::Type::STRUCT:
      shape->layers.push_back({LayerKind::kItem});
      return Status::OK();
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      shape->layers.push_back({LayerKind::kList});
      return Status::OK();
    case arrow::Type::LARGE_LIST:
      shape->layers.push_back({LayerKind::kList, 1, /*large_offsets=*/true});
      return Status::OK();
    case arrow::Type::FIXED_SIZE_LIST:
      shape->layers.push_back(
          {LayerKind::kFixedSizeList,
           static_cast<uint32_t>(static_cast<const arrow::FixedSizeListType&>(*type).list_size())});
      return Status::OK();
    default:
      return Unsupported("field of type ", type->ToString(), " with children");
  }
}

void Descend(const Field& field, std::vector<const Field*>* path,
             std::vector<std::vector<const Field*>>* out) {
  path->push_back(&field);
  if (field.IsLeaf()) {
    out->push_back(*path);
  } else {
    for (const Field& child : field.children) Descend(child, path, out);
  }
  path->pop_back();
}

Result<LeafShape> MakeShape(const std::vector<const Field*>& path) {
  const Field& leaf = *path.back();
  if (IsBlobV2(leaf)) return Unsupported("blobs of version 2 are read by their descriptors");
  LeafShape shape;
  ARROW_RETURN_NOT_OK(RowsScale(path).status());
  for (const Field* field : path) ARROW_RETURN_NOT_OK(AddLayers(*field, field == &leaf, &shape));
  shape.is_blob = IsBlobV1(leaf) || IsBlobV1Descriptor(leaf);
  if ((leaf.IsPackedStruct() || shape.is_blob) && !leaf.children.empty()) {
    ARROW_RETURN_NOT_OK(SetPackedStruct(leaf, &shape));
    return shape;
  }
  ARROW_ASSIGN_OR_RAISE(auto type, leaf.ArrowType());
  ARROW_RETURN_NOT_OK(SetValues(*type, &shape));
  return shape;
}

}  // namespace

Result<LeafShape> MakeLeafShape(const std::vector<const Field*>& path) {
  auto shape = MakeShape(path);
  if (shape.ok()) return shape;
  ErrorPlace place;
  place.field = PathName(path);
  return WithPlace(shape.status(), place);
}

Result<uint64_t> RowsScale(const std::vector<const Field*>& path) {
  LeafShape shape;
  for (const Field* field : path) {
    ARROW_RETURN_NOT_OK(AddLayers(*field, field == path.back(), &shape));
  }
  uint64_t scale = 1;
  for (const Layer& layer : shape.layers) {
    if (layer.kind != LayerKind::kFixedSizeList) continue;
    if (layer.dimension < 1 || scale > std::numeric_limits<uint32_t>::max() / layer.dimension) {
      return Corrupt("fixed-size lists of struct with more items than 2^32 a row, or none");
    }
    scale *= layer.dimension;
  }
  return scale;
}

std::vector<std::vector<const Field*>> LeafPaths(const Schema& schema) {
  std::vector<std::vector<const Field*>> out;
  std::vector<const Field*> path;
  for (const Field& field : schema.fields) Descend(field, &path, &out);
  return out;
}

std::string PathName(const std::vector<const Field*>& path) {
  std::string out;
  for (const Field* field : path) out += (out.empty() ? "" : ".") + field->name;
  return out;
}

}  // namespace lance
