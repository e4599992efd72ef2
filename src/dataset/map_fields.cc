#include "dataset/map_fields.h"

#include <utility>

#include "arrow/type.h"

namespace lance {
namespace {

using FieldPtr = std::shared_ptr<arrow::Field>;

FieldPtr MapField(const FieldPtr& field, const FieldChange& change) {
  if (FieldPtr changed = change(field)) return changed;
  const arrow::DataType& type = *field->type();
  auto child = [&](int index) { return MapField(type.field(index), change); };
  switch (type.id()) {
    case arrow::Type::STRUCT: {
      arrow::FieldVector children;
      for (int i = 0; i < type.num_fields(); ++i) children.push_back(child(i));
      return field->WithType(arrow::struct_(children));
    }
    case arrow::Type::LIST:
      return field->WithType(arrow::list(child(0)));
    case arrow::Type::LARGE_LIST:
      return field->WithType(arrow::large_list(child(0)));
    case arrow::Type::FIXED_SIZE_LIST:
      return field->WithType(arrow::fixed_size_list(
          child(0), static_cast<const arrow::FixedSizeListType&>(type).list_size()));
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      return field->WithType(std::make_shared<arrow::MapType>(MapField(map.key_field(), change),
                                                              MapField(map.item_field(), change),
                                                              map.keys_sorted()));
    }
    default:
      return field;
  }
}

}  // namespace

std::shared_ptr<arrow::Schema> MapFields(const arrow::Schema& schema, const FieldChange& change) {
  arrow::FieldVector fields;
  for (const FieldPtr& field : schema.fields()) fields.push_back(MapField(field, change));
  return arrow::schema(std::move(fields), schema.metadata());
}

}  // namespace lance
