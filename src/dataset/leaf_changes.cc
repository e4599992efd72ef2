#include "dataset/leaf_changes.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "arrow/buffer_builder.h"
#include "arrow/util/bitmap_ops.h"
#include "dataset/copy_validity.h"
#include "dataset/value_layout.h"
#include "schema/logical_type.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

/// The status with the row of a parent's in the place of that of its values.
Status WithRow(const Status& status, int64_t row) {
  const ErrorDetail* detail = GetErrorDetail(status);
  if (detail == nullptr || !detail->place.row) return status;
  ErrorPlace place = detail->place;
  place.row = row;
  return MakeError(detail->code, status.message(), std::move(place));
}

/// The row of an error among the values; -1 if it has none.
int64_t RowOf(const Status& status) {
  const ErrorDetail* detail = GetErrorDetail(status);
  return detail == nullptr ? -1 : detail->place.row.value_or(-1);
}

bool IsLargeList(const Field& field) {
  return KindOfLogicalType(field.logical_type) == FieldKind::kLargeList;
}

/// Whether lists have offsets of another width than their fields say, somewhere.
bool HasOtherOffsets(const Field& field, const arrow::DataType& type) {
  const arrow::DataType& storage = *StorageType(type.GetSharedPtr());
  if (field.IsLeaf() || static_cast<size_t>(storage.num_fields()) < field.children.size()) {
    return false;
  }
  const arrow::Type::type id = storage.id();
  if (id == arrow::Type::LIST && IsLargeList(field)) return true;
  if (id == arrow::Type::LARGE_LIST && !IsLargeList(field)) return true;
  for (size_t i = 0; i < field.children.size(); ++i) {
    const Field& child = field.children[i];
    int index = static_cast<int>(i);
    if (id == arrow::Type::STRUCT) {
      index = static_cast<const arrow::StructType&>(storage).GetFieldIndex(child.name);
    }
    if (index >= 0 && HasOtherOffsets(child, *storage.field(index)->type())) return true;
  }
  return false;
}

class Changer {
 public:
  Changer(const LeafTest& test, const LeafChange& change, arrow::MemoryPool* pool)
      : test_(test), change_(change), pool_(pool) {}

  Result<ArrayPtr> Change(const Field& field, ArrayPtr array, const std::string& path) const {
    if (!HoldsLeaf(field, test_) && !HasOtherOffsets(field, *array->type())) return array;
    if (array->type_id() == arrow::Type::EXTENSION) {
      array = static_cast<const arrow::ExtensionArray&>(*array).storage();
    }
    if (test_(field)) {
      auto changed = change_(field, array);
      if (!changed.ok()) return WithPlace(changed.status(), {.field = path});
      return changed;
    }
    switch (array->type_id()) {
      case arrow::Type::STRUCT:
        return ChangeStruct(field, static_cast<const arrow::StructArray&>(*array), path);
      case arrow::Type::LIST:
        return ChangeList(field, static_cast<const arrow::ListArray&>(*array), path);
      case arrow::Type::LARGE_LIST:
        return ChangeList(field, static_cast<const arrow::LargeListArray&>(*array), path);
      case arrow::Type::MAP:
        return ChangeMap(field, static_cast<const arrow::MapArray&>(*array), path);
      case arrow::Type::FIXED_SIZE_LIST:
        return ChangeFixedSizeList(field, static_cast<const arrow::FixedSizeListArray&>(*array),
                                   path);
      default:
        return Unsupported("values inside of a ", array->type()->ToString(),
                           " can't be changed: field '", path, "'");
    }
  }

 private:
  Result<ArrayPtr> ChangeStruct(const Field& field, const arrow::StructArray& array,
                                const std::string& path) const {
    arrow::ArrayVector children;
    arrow::FieldVector fields;
    for (const Field& child : field.children) {
      const int index = array.struct_type()->GetFieldIndex(child.name);
      if (index < 0) {
        return UserError("struct has no member '", child.name, "': field '", path, "'");
      }
      ARROW_ASSIGN_OR_RAISE(auto values, array.GetFlattenedField(index, pool_));
      ARROW_ASSIGN_OR_RAISE(auto changed,
                            Change(child, std::move(values), path + "." + child.name));
      fields.push_back(array.struct_type()->field(index)->WithType(changed->type()));
      children.push_back(std::move(changed));
    }
    ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(array, pool_));
    return std::make_shared<arrow::StructArray>(arrow::struct_(fields), array.length(), children,
                                                std::move(validity), array.null_count());
  }

  // Where the items of each row end, among those that rows have.
  template <typename Offset, typename ListArray>
  Result<std::shared_ptr<arrow::Buffer>> OffsetsOf(const ListArray& array) const {
    arrow::TypedBufferBuilder<Offset> offsets(pool_);
    ARROW_RETURN_NOT_OK(offsets.Reserve(array.length() + 1));
    int64_t at = 0;
    offsets.UnsafeAppend(0);
    for (int64_t i = 0; i < array.length(); ++i) {
      if (array.IsValid(i)) at += array.value_length(i);
      if (at > std::numeric_limits<Offset>::max()) {
        return LayoutOverflow(internal::Concat(at, " items"), "list", "as large_list");
      }
      offsets.UnsafeAppend(static_cast<Offset>(at));
    }
    return offsets.Finish();
  }

  // The items of an array, changed; an error is one of the row that has the item.
  template <typename ListArray>
  Result<ArrayPtr> ChangeItems(const Field& item, const ListArray& array, const ArrayPtr& items,
                               const std::string& path) const {
    auto changed = Change(item, items, path + "." + item.name);
    if (changed.ok()) return changed;
    int64_t left = RowOf(changed.status());
    if (left < 0) return changed;
    for (int64_t i = 0; i < array.length(); ++i) {
      const int64_t count = array.IsValid(i) ? array.value_length(i) : 0;
      if (left < count) return WithRow(changed.status(), i);
      left -= count;
    }
    return changed;
  }

  template <typename OutList, typename ListArray>
  Result<ArrayPtr> MakeList(const ListArray& array, ArrayPtr items) const {
    ARROW_ASSIGN_OR_RAISE(auto offsets, OffsetsOf<typename OutList::offset_type>(array));
    ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(array, pool_));
    auto type = std::make_shared<typename OutList::TypeClass>(
        array.list_type()->value_field()->WithType(items->type()));
    return std::make_shared<OutList>(std::move(type), array.length(), std::move(offsets),
                                     std::move(items), std::move(validity), array.null_count());
  }

  template <typename ListArray>
  Result<ArrayPtr> ChangeList(const Field& field, const ListArray& array,
                              const std::string& path) const {
    ARROW_ASSIGN_OR_RAISE(auto items, array.Flatten(pool_));
    ARROW_ASSIGN_OR_RAISE(items, ChangeItems(field.children[0], array, items, path));
    auto made = IsLargeList(field) ? MakeList<arrow::LargeListArray>(array, std::move(items))
                                   : MakeList<arrow::ListArray>(array, std::move(items));
    if (!made.ok()) return WithPlace(made.status(), {.field = path});
    return made;
  }

  Result<ArrayPtr> ChangeMap(const Field& field, const arrow::MapArray& array,
                             const std::string& path) const {
    ARROW_ASSIGN_OR_RAISE(auto entries, array.Flatten(pool_));
    const auto& structs = static_cast<const arrow::StructArray&>(*entries);
    // The names of the entries' members mean nothing.
    const Field& entry = field.children[0];
    const std::string below = path + "." + entry.name;
    ARROW_ASSIGN_OR_RAISE(auto keys,
                          ChangeItems(entry.children[0], array, structs.field(0), below));
    ARROW_ASSIGN_OR_RAISE(auto items,
                          ChangeItems(entry.children[1], array, structs.field(1), below));
    ARROW_ASSIGN_OR_RAISE(auto offsets, OffsetsOf<int32_t>(array));
    ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(array, pool_));
    const arrow::MapType& old = *array.map_type();
    auto type = std::make_shared<arrow::MapType>(old.key_field()->WithType(keys->type()),
                                                 old.item_field()->WithType(items->type()),
                                                 old.keys_sorted());
    return std::make_shared<arrow::MapArray>(std::move(type), array.length(), std::move(offsets),
                                             std::move(keys), std::move(items), std::move(validity),
                                             array.null_count());
  }

  // Items of rows that are null are null, whatever is there.
  Result<ArrayPtr> WithoutHidden(const arrow::FixedSizeListArray& array,
                                 const ArrayPtr& items) const {
    if (array.null_count() == 0) return items;
    const int64_t size = array.list_type()->list_size();
    arrow::TypedBufferBuilder<bool> validity(pool_);
    ARROW_RETURN_NOT_OK(validity.Reserve(items->length()));
    for (int64_t i = 0; i < items->length(); ++i) {
      validity.UnsafeAppend(array.IsValid(i / size) && items->IsValid(i));
    }
    auto data = items->data()->Copy();
    ARROW_ASSIGN_OR_RAISE(auto bits, validity.Finish());
    // From where the items begin.
    ARROW_ASSIGN_OR_RAISE(data->buffers[0], Shifted(bits, items->offset(), items->length()));
    data->null_count = arrow::kUnknownNullCount;
    return arrow::MakeArray(std::move(data));
  }

  Result<std::shared_ptr<arrow::Buffer>> Shifted(const std::shared_ptr<arrow::Buffer>& bits,
                                                 int64_t offset, int64_t length) const {
    if (offset == 0) return bits;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> out,
                          arrow::AllocateEmptyBitmap(offset + length, pool_));
    arrow::internal::CopyBitmap(bits->data(), 0, length, out->mutable_data(), offset);
    return out;
  }

  Result<ArrayPtr> ChangeFixedSizeList(const Field& field, const arrow::FixedSizeListArray& array,
                                       const std::string& path) const {
    const int64_t size = array.list_type()->list_size();
    auto items = array.values()->Slice(array.offset() * size, array.length() * size);
    ARROW_ASSIGN_OR_RAISE(items, WithoutHidden(array, items));
    auto changed = Change(field.children[0], std::move(items), path + "." + field.children[0].name);
    if (!changed.ok()) {
      const int64_t row = RowOf(changed.status());
      return row < 0 ? changed.status() : WithRow(changed.status(), row / size);
    }
    ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(array, pool_));
    auto type = arrow::fixed_size_list(
        array.list_type()->value_field()->WithType((*changed)->type()), static_cast<int32_t>(size));
    return std::make_shared<arrow::FixedSizeListArray>(std::move(type), array.length(),
                                                       *std::move(changed), std::move(validity),
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
  return Changer(test, change, pool).Change(field, std::move(array), field.name);
}

Result<std::shared_ptr<arrow::RecordBatch>> ChangeLeaves(const Schema& schema,
                                                         const arrow::RecordBatch& batch,
                                                         const LeafTest& test,
                                                         const LeafChange& change,
                                                         arrow::MemoryPool* pool) {
  arrow::FieldVector fields = batch.schema()->fields();
  arrow::ArrayVector columns = batch.columns();
  for (const Field& field : schema.fields) {
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
