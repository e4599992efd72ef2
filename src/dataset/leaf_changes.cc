#include "dataset/leaf_changes.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "arrow/buffer_builder.h"
#include "dataset/copy_validity.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

class Changer {
 public:
  Changer(const LeafTest& test, const LeafChange& change, arrow::MemoryPool* pool)
      : test_(test), change_(change), pool_(pool) {}

  Result<ArrayPtr> Change(const Field& field, ArrayPtr array) const {
    if (!HoldsLeaf(field, test_)) return array;
    if (array->type_id() == arrow::Type::EXTENSION) {
      array = static_cast<const arrow::ExtensionArray&>(*array).storage();
    }
    if (test_(field)) return change_(field, array);
    switch (array->type_id()) {
      case arrow::Type::STRUCT:
        return ChangeStruct(field, static_cast<const arrow::StructArray&>(*array));
      case arrow::Type::LIST:
        return ChangeList(field, static_cast<const arrow::ListArray&>(*array));
      case arrow::Type::LARGE_LIST:
        return ChangeList(field, static_cast<const arrow::LargeListArray&>(*array));
      case arrow::Type::MAP:
        return ChangeMap(field, static_cast<const arrow::MapArray&>(*array));
      case arrow::Type::FIXED_SIZE_LIST:
        return ChangeFixedSizeList(field, static_cast<const arrow::FixedSizeListArray&>(*array));
      default:
        return Unsupported("values inside of a ", array->type()->ToString(),
                           " can't be changed: field '", field.name, "'");
    }
  }

 private:
  Result<ArrayPtr> ChangeStruct(const Field& field, const arrow::StructArray& array) const {
    arrow::ArrayVector children;
    arrow::FieldVector fields;
    for (const Field& child : field.children) {
      const int index = array.struct_type()->GetFieldIndex(child.name);
      if (index < 0) {
        return UserError("struct has no member '", child.name, "': field '", field.name, "'");
      }
      ARROW_ASSIGN_OR_RAISE(auto values, array.GetFlattenedField(index, pool_));
      ARROW_ASSIGN_OR_RAISE(auto changed, Change(child, std::move(values)));
      fields.push_back(array.struct_type()->field(index)->WithType(changed->type()));
      children.push_back(std::move(changed));
    }
    ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(array, pool_));
    return std::make_shared<arrow::StructArray>(arrow::struct_(fields), array.length(), children,
                                                std::move(validity), array.null_count());
  }

  // The items that rows have, and where those of each row end.
  template <typename ListArray>
  Result<std::shared_ptr<arrow::Buffer>> OffsetsOf(const ListArray& array) const {
    using Offset = typename ListArray::offset_type;
    arrow::TypedBufferBuilder<Offset> offsets(pool_);
    ARROW_RETURN_NOT_OK(offsets.Reserve(array.length() + 1));
    Offset at = 0;
    offsets.UnsafeAppend(at);
    for (int64_t i = 0; i < array.length(); ++i) {
      if (array.IsValid(i)) at += array.value_length(i);
      offsets.UnsafeAppend(at);
    }
    return offsets.Finish();
  }

  template <typename ListArray>
  Result<ArrayPtr> ChangeList(const Field& field, const ListArray& array) const {
    ARROW_ASSIGN_OR_RAISE(auto items, array.Flatten(pool_));
    ARROW_ASSIGN_OR_RAISE(auto changed, Change(field.children[0], std::move(items)));
    ARROW_ASSIGN_OR_RAISE(auto offsets, OffsetsOf(array));
    ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(array, pool_));
    auto type = std::make_shared<typename ListArray::TypeClass>(
        array.list_type()->value_field()->WithType(changed->type()));
    return std::make_shared<ListArray>(std::move(type), array.length(), std::move(offsets),
                                       std::move(changed), std::move(validity), array.null_count());
  }

  Result<ArrayPtr> ChangeMap(const Field& field, const arrow::MapArray& array) const {
    ARROW_ASSIGN_OR_RAISE(auto entries, array.Flatten(pool_));
    const auto& structs = static_cast<const arrow::StructArray&>(*entries);
    // The names of the entries' members mean nothing.
    const Field& entry = field.children[0];
    ARROW_ASSIGN_OR_RAISE(auto keys, Change(entry.children[0], structs.field(0)));
    ARROW_ASSIGN_OR_RAISE(auto items, Change(entry.children[1], structs.field(1)));
    ARROW_ASSIGN_OR_RAISE(auto offsets, OffsetsOf(array));
    ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(array, pool_));
    const arrow::MapType& old = *array.map_type();
    auto type = std::make_shared<arrow::MapType>(old.key_field()->WithType(keys->type()),
                                                 old.item_field()->WithType(items->type()),
                                                 old.keys_sorted());
    return std::make_shared<arrow::MapArray>(std::move(type), array.length(), std::move(offsets),
                                             std::move(keys), std::move(items), std::move(validity),
                                             array.null_count());
  }

  Result<ArrayPtr> ChangeFixedSizeList(const Field& field,
                                       const arrow::FixedSizeListArray& array) const {
    const int64_t size = array.list_type()->list_size();
    auto items = array.values()->Slice(array.offset() * size, array.length() * size);
    ARROW_ASSIGN_OR_RAISE(auto changed, Change(field.children[0], std::move(items)));
    ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(array, pool_));
    auto type = arrow::fixed_size_list(array.list_type()->value_field()->WithType(changed->type()),
                                       static_cast<int32_t>(size));
    return std::make_shared<arrow::FixedSizeListArray>(std::move(type), array.length(),
                                                       std::move(changed), std::move(validity),
                                                       array.null_count());
  }

  const LeafTest& test_;
  const LeafChange& change_;
  arrow::MemoryPool* const pool_;
};

}  // namespace

bool HoldsLeaf(const Field& field, const LeafTest& test) {
  return test(field) || std::any_of(field.children.begin(), field.children.end(),
                                    [&](const Field& child) { return HoldsLeaf(child, test); });
}

bool HoldsLeaf(const Schema& schema, const LeafTest& test) {
  return std::any_of(schema.fields.begin(), schema.fields.end(),
                     [&](const Field& field) { return HoldsLeaf(field, test); });
}

Result<ArrayPtr> ChangeLeaves(const Field& field, ArrayPtr array, const LeafTest& test,
                              const LeafChange& change, arrow::MemoryPool* pool) {
  return Changer(test, change, pool).Change(field, std::move(array));
}

Result<std::shared_ptr<arrow::RecordBatch>> ChangeLeaves(const Schema& schema,
                                                         const arrow::RecordBatch& batch,
                                                         const LeafTest& test,
                                                         const LeafChange& change,
                                                         arrow::MemoryPool* pool) {
  arrow::FieldVector fields = batch.schema()->fields();
  arrow::ArrayVector columns = batch.columns();
  for (const Field& field : schema.fields) {
    if (!HoldsLeaf(field, test)) continue;
    const int index = batch.schema()->GetFieldIndex(field.name);
    if (index < 0) continue;
    const auto at = static_cast<size_t>(index);
    ARROW_ASSIGN_OR_RAISE(columns[at],
                          ChangeLeaves(field, std::move(columns[at]), test, change, pool));
    fields[at] = fields[at]->WithType(columns[at]->type());
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields), batch.schema()->metadata()),
                                  batch.num_rows(), std::move(columns));
}

}  // namespace lance
