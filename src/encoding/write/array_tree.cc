#include "encoding/write/array_tree.h"

#include <algorithm>
#include <utility>

#include "arrow/buffer.h"
#include "encoding/write/scratch_array.h"

namespace lance::encoding {
namespace {

using encodings::ArrayEncoding;

Result<ScratchArray<uint8_t>> AllValid(uint64_t count, arrow::MemoryPool* pool) {
  const auto bits = static_cast<int64_t>(count);
  const auto bytes = static_cast<uint64_t>(arrow::bit_util::BytesForBits(bits));
  ARROW_ASSIGN_OR_RAISE(auto bitmap, ScratchArray<uint8_t>::Allocate(bytes, pool));
  std::fill_n(bitmap.data(), bitmap.size(), uint8_t{0});
  arrow::bit_util::SetBitsTo(bitmap.data(), 0, bits, true);
  return bitmap;
}

std::shared_ptr<arrow::Buffer> View(const uint8_t* data, uint64_t size) {
  return std::make_shared<arrow::Buffer>(data, static_cast<int64_t>(size));
}

SlotNulls NullItems(const ListDimension& dimension, uint64_t items) {
  if (dimension.all_null) return {nullptr, items};
  if (dimension.child_validity == nullptr) return {};
  // How many are null doesn't matter, as some and not all are.
  return {View(dimension.child_validity, (items + 7) / 8), 1};
}

}  // namespace

Result<SlotNulls> SlotNulls::Of(const ShreddedRows& rows, arrow::MemoryPool* pool) {
  SlotNulls nulls;
  ForEachNullLeaf(rows, [&](uint64_t) { ++nulls.count; });
  if (nulls.count == 0) return nulls;
  ARROW_ASSIGN_OR_RAISE(auto bitmap, AllValid(rows.num_values, pool));
  ForEachNullLeaf(rows, [&](uint64_t slot) {
    arrow::bit_util::ClearBit(bitmap.data(), static_cast<int64_t>(slot));
  });
  nulls.validity = bitmap.buffer();
  return nulls;
}

Result<SlotNulls> SlotNulls::Last(uint64_t count, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto bitmap, AllValid(count, pool));
  arrow::bit_util::ClearBit(bitmap.data(), static_cast<int64_t>(count) - 1);
  return SlotNulls{bitmap.buffer(), 1};
}

void ArrayTree::Keep(const std::vector<std::shared_ptr<arrow::Buffer>>& owned) {
  page_.owned.insert(page_.owned.end(), owned.begin(), owned.end());
}

void ArrayTree::AddFlat(uint64_t bits, std::shared_ptr<arrow::Buffer> buffer, ArrayEncoding* out) {
  out->mutable_flat()->set_bits_per_value(bits);
  out->mutable_flat()->mutable_buffer()->set_buffer_index(
      static_cast<uint32_t>(page_.buffers.size()));
  page_.buffers.push_back(std::move(buffer));
}

// Where the values go, behind their validity; null if there are none.
ArrayEncoding* ArrayTree::BehindValidity(const SlotNulls& nulls, uint64_t count,
                                         ArrayEncoding* out) {
  if (nulls.count == count) {
    out->mutable_nullable()->mutable_all_nulls();
    return nullptr;
  }
  if (nulls.count == 0) return NoNulls(out);
  auto* some = out->mutable_nullable()->mutable_some_nulls();
  AddFlat(1, nulls.validity, some->mutable_validity());
  return some->mutable_values();
}

void ArrayTree::AddFixed(const LeafBlock& block, const SlotNulls& nulls, ArrayEncoding* out) {
  ArrayEncoding* values = BehindValidity(nulls, block.count, out);
  uint64_t items = block.count;
  for (const ListDimension& dimension : block.dimensions) {
    if (values == nullptr) return;
    items *= dimension.size;
    auto* list = values->mutable_fixed_size_list();
    list->set_dimension(static_cast<uint32_t>(dimension.size));
    values = BehindValidity(NullItems(dimension, items), items, list->mutable_items());
  }
  if (values == nullptr) return;
  AddFlat(block.fixed.bits, View(block.fixed.data, block.fixed.num_bytes()), values);
}

}  // namespace lance::encoding
