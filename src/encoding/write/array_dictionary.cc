// Columns of Arrow's dictionary type in 2.0 (spec/file-format.md §9.6): nulls refer to a null item
// at the end.
#include <algorithm>
#include <cstring>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "encoding/write/array_tree.h"
#include "encoding/write/scratch_array.h"

namespace lance::encoding {

using encodings::ArrayEncoding;

Status ArrayTree::AddDictionary(const DictionaryBlock& dictionary, const arrow::DataType& keys,
                                const SlotNulls& nulls, ArrayEncoding* out) {
  Keep(dictionary.owned);
  Keep(dictionary.items.owned);
  LeafBlock items = dictionary.items;
  // Where all rows are null, the other items are of no use.
  if (nulls.count == dictionary.indices.count) {
    items.count = items.fixed.count = items.variable.count = 0;
  }
  const uint64_t null_item = items.count;
  const bool with_null = nulls.count > 0;
  std::shared_ptr<arrow::Buffer> indices = std::make_shared<arrow::Buffer>(
      dictionary.indices.data, static_cast<int64_t>(dictionary.indices.num_bytes()));
  if (with_null) {
    ARROW_ASSIGN_OR_RAISE(indices, KeysWithNulls(dictionary.indices, keys, nulls, null_item));
  }
  auto* encoding = out->mutable_dictionary();
  AddFlat(dictionary.indices.bits, std::move(indices), NoNulls(encoding->mutable_indices()));
  encoding->set_num_dictionary_items(static_cast<uint32_t>(null_item + (with_null ? 1 : 0)));
  return AddItems(items, with_null, encoding->mutable_items());
}

Result<std::shared_ptr<arrow::Buffer>> ArrayTree::KeysWithNulls(const FixedBlock& keys,
                                                                const arrow::DataType& type,
                                                                const SlotNulls& nulls,
                                                                uint64_t null_item) const {
  constexpr uint64_t kMostBits = 64;
  const uint64_t value_bits = keys.bits - (arrow::is_signed_integer(type.id()) ? 1 : 0);
  if (value_bits < kMostBits && null_item >> value_bits != 0) {
    return Unsupported("dictionary of ", null_item,
                       " items with nulls among its keys: keys of type ", type.ToString(),
                       " have no room for the null item that file version 2.0 ",
                       "needs; use wider keys");
  }
  ARROW_ASSIGN_OR_RAISE(auto out, ScratchArray<uint8_t>::Allocate(keys.num_bytes(), pool_));
  std::copy_n(keys.data, keys.num_bytes(), out.data());
  for (uint64_t i = 0; i < keys.count; ++i) {
    // Little-endian: the low bytes come first.
    if (nulls.is_null(i)) std::memcpy(out.data() + i * keys.width(), &null_item, keys.width());
  }
  return out.buffer();
}

Status ArrayTree::AddItems(const LeafBlock& items, bool with_null, ArrayEncoding* out) {
  SlotNulls nulls;
  if (with_null) {
    ARROW_ASSIGN_OR_RAISE(nulls, SlotNulls::Last(items.count + 1, pool_));
  }
  if (items.kind == LeafBlock::Kind::kVariable) {
    VariableBlock block = items.variable;
    if (with_null) {
      ARROW_ASSIGN_OR_RAISE(block, WithNullString(block));
    }
    return AddBinary(block, nulls, std::nullopt, out->mutable_binary());
  }
  LeafBlock block = items;
  if (with_null) {
    const uint64_t size = items.fixed.num_bytes();
    const uint64_t width = items.fixed.width();
    ARROW_ASSIGN_OR_RAISE(auto bytes, ScratchArray<uint8_t>::Allocate(size + width, pool_));
    std::copy_n(items.fixed.data, size, bytes.data());
    std::fill_n(bytes.data() + size, width, uint8_t{0});
    Keep({bytes.buffer()});
    block.fixed.data = bytes.data();
    ++block.fixed.count;
    ++block.count;
  }
  AddFixed(block, nulls, out);
  return Status::OK();
}

}  // namespace lance::encoding
