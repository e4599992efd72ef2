#include "dataset/dictionary_keys.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "arrow/api.h"
#include "dataset/copy_validity.h"
#include "encoding/dictionary_keys.h"

namespace lance {
namespace {

int32_t WidthOf(const arrow::DataType& type) {
  return static_cast<const arrow::FixedWidthType&>(type).byte_width();
}

const uint8_t* FirstKey(const arrow::Array& keys) {
  return keys.data()->buffers[1]->data() + keys.offset() * WidthOf(*keys.type());
}

/// Keys of nulls don't count.
bool AreInBounds(const arrow::Array& keys, uint64_t items) {
  const int32_t width = WidthOf(*keys.type());
  if (encoding::AreBelow(items, FirstKey(keys), keys.length(), width)) return true;
  for (int64_t i = 0; i < keys.length(); ++i) {
    if (keys.IsNull(i)) continue;
    if (!encoding::AreBelow(items, FirstKey(keys) + i * width, 1, width)) return false;
  }
  return true;
}

/// The buffer with the keys from the first one on.
Result<std::shared_ptr<arrow::Buffer>> CopyAs(const arrow::Array& keys, uint64_t items,
                                              int32_t width, arrow::MemoryPool* pool) {
  const int32_t old_width = WidthOf(*keys.type());
  const uint64_t known = std::min(items, KeyCapacity(*keys.type()));
  std::shared_ptr<arrow::Buffer> out;
  bool all_below = false;
  if (width == old_width) {
    out = arrow::SliceBuffer(keys.data()->buffers[1], keys.offset() * width, keys.length() * width);
  } else {
    ARROW_ASSIGN_OR_RAISE(out, arrow::AllocateBuffer(keys.length() * width, pool));
    all_below = encoding::CopyKeysBelow(known, FirstKey(keys), old_width, keys.length(), width,
                                        out->mutable_data());
  }
  if (all_below || AreInBounds(keys, known)) return out;
  return UserError("key of a dictionary is out of bounds: it has ", items, " values");
}

}  // namespace

uint64_t KeyCapacity(const arrow::DataType& key) {
  const int bits = static_cast<const arrow::FixedWidthType&>(key).bit_width();
  const int used = arrow::is_signed_integer(key.id()) ? bits - 1 : bits;
  return used >= 63 ? std::numeric_limits<int64_t>::max() : uint64_t{1} << used;
}

Result<std::shared_ptr<arrow::Array>> ChangeKeys(const std::shared_ptr<arrow::Array>& keys,
                                                 uint64_t items,
                                                 const std::shared_ptr<arrow::DataType>& type,
                                                 arrow::MemoryPool* pool) {
  if (keys->length() == 0) return arrow::MakeEmptyArray(type, pool);
  ARROW_ASSIGN_OR_RAISE(auto out, CopyAs(*keys, items, WidthOf(*type), pool));
  ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(*keys, pool));
  return arrow::MakeArray(arrow::ArrayData::Make(
      type, keys->length(), {std::move(validity), std::move(out)}, keys->null_count()));
}

}  // namespace lance
