#include "dataset/array_types.h"

#include <utility>

#include "arrow/api.h"
#include "dataset/map_fields.h"
#include "schema/logical_type.h"

namespace lance {
namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

bool IsNested(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::STRUCT:
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::MAP:
      return true;
    default:
      return false;
  }
}

ArrayDataPtr Retype(const ArrayDataPtr& data, const std::shared_ptr<arrow::DataType>& type) {
  auto out = data->Copy();
  out->type = type;
  auto storage = StorageType(type);
  if (!IsNested(*storage)) return out;
  for (size_t i = 0; i < out->child_data.size(); ++i) {
    out->child_data[i] = Retype(data->child_data[i], storage->field(static_cast<int>(i))->type());
  }
  return out;
}

std::shared_ptr<arrow::Field> WithStorage(const std::shared_ptr<arrow::Field>& field) {
  if (field->type()->id() != arrow::Type::EXTENSION) return nullptr;
  return field->WithType(StorageType(field->type()));
}

}  // namespace

Result<std::shared_ptr<arrow::RecordBatch>> EmptyBatch(const std::shared_ptr<arrow::Schema>& schema,
                                                       arrow::MemoryPool* pool) {
  // Arrow builds no extension arrays.
  ARROW_ASSIGN_OR_RAISE(auto plain,
                        arrow::RecordBatch::MakeEmpty(MapFields(*schema, WithStorage), pool));
  auto columns = plain->columns();
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i] = Retyped(columns[i], schema->field(static_cast<int>(i))->type());
  }
  return arrow::RecordBatch::Make(schema, 0, std::move(columns));
}

std::shared_ptr<arrow::Array> Retyped(const std::shared_ptr<arrow::Array>& array,
                                      const std::shared_ptr<arrow::DataType>& type) {
  if (array->type() == type || array->type()->Equals(*type, /*check_metadata=*/true)) return array;
  return arrow::MakeArray(Retype(array->data(), type));
}

bool SameLayout(const arrow::DataType& a, const arrow::DataType& b) {
  auto one = StorageType(a.GetSharedPtr());
  auto other = StorageType(b.GetSharedPtr());
  if (!IsNested(*one)) return one->Equals(*other);
  if (one->id() != other->id() || one->num_fields() != other->num_fields()) return false;
  if (one->id() == arrow::Type::FIXED_SIZE_LIST &&
      static_cast<const arrow::FixedSizeListType&>(*one).list_size() !=
          static_cast<const arrow::FixedSizeListType&>(*other).list_size()) {
    return false;
  }
  for (int i = 0; i < one->num_fields(); ++i) {
    if (!SameLayout(*one->field(i)->type(), *other->field(i)->type())) return false;
  }
  return true;
}

}  // namespace lance
