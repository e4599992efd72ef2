#include "encoding/write/only_nulls.h"

#include "arrow/array/data.h"
#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "arrow/util/bit_util.h"
#include "encoding/write/shredder.h"

namespace lance::encoding {
namespace {

// Of slots [first, first + count), counted from the start of the buffers.
bool HasItems(const arrow::ArrayData& array, int64_t first, int64_t count) {
  if (array.type->id() == arrow::Type::NA) return false;
  const auto& validity = array.buffers[0];
  const bool is_list = array.type->id() == arrow::Type::FIXED_SIZE_LIST;
  const int64_t size =
      is_list ? static_cast<const arrow::FixedSizeListType&>(*array.type).list_size() : 0;
  for (int64_t i = first; i < first + count; ++i) {
    if (validity != nullptr && !arrow::bit_util::GetBit(validity->data(), i)) continue;
    if (!is_list) return true;
    const arrow::ArrayData& items = *array.child_data[0];
    if (HasItems(items, items.offset + i * size, size)) return true;
  }
  return false;
}

}  // namespace

bool IsListWithoutWidth(const arrow::DataType& type) {
  if (type.id() != arrow::Type::FIXED_SIZE_LIST) return false;
  const auto& item = static_cast<const arrow::FixedSizeListType&>(type).value_type();
  if (item->id() == arrow::Type::FIXED_SIZE_LIST) return IsListWithoutWidth(*item);
  return item->id() == arrow::Type::NA || arrow::is_base_binary_like(item->id()) ||
         (item->id() == arrow::Type::FIXED_SIZE_BINARY && item->bit_width() == 0);
}

Result<bool> HasLeafValues(const LeafPath& path, const std::shared_ptr<arrow::ArrayData>& array,
                           arrow::MemoryPool* pool) {
  const std::shared_ptr<arrow::ArrayData> arrays[] = {array};
  ARROW_ASSIGN_OR_RAISE(const ShreddedRows rows, Shred(path, arrays, pool));
  uint64_t item = 0;
  for (const LeafSlice& slice : rows.leaves) {
    for (int64_t i = 0; i < slice.length; ++i, ++item) {
      while (!rows.is_visible(item)) ++item;
      const bool null = !rows.definition.empty() && rows.definition[item] != 0;
      if (!null && HasItems(*slice.array, slice.offset + i, 1)) return true;
    }
  }
  return false;
}

}  // namespace lance::encoding
