#include "encoding/write/constant_values.h"

#include <cstring>

#include "arrow/util/bit_util.h"
#include "encoding/write/scratch_array.h"

namespace lance::encoding {
namespace {

bool Equal(const LeafBlock& block, uint64_t a, uint64_t b) {
  if (block.kind == LeafBlock::Kind::kVariable) {
    const uint64_t length = block.variable.length(a);
    if (length != block.variable.length(b)) return false;
    return length == 0 || std::memcmp(block.variable.bytes + block.variable.offset(a),
                                      block.variable.bytes + block.variable.offset(b), length) == 0;
  }
  if (block.fixed.bits == 1) {
    return arrow::bit_util::GetBit(block.fixed.data, static_cast<int64_t>(a)) ==
           arrow::bit_util::GetBit(block.fixed.data, static_cast<int64_t>(b));
  }
  const uint64_t width = block.fixed.width();
  return width == 0 ||
         std::memcmp(block.fixed.data + a * width, block.fixed.data + b * width, width) == 0;
}

}  // namespace

std::optional<uint64_t> FindConstant(const LeafBlock& block, const ShreddedRows& rows) {
  if (block.kind == LeafBlock::Kind::kFixedSizeList) return std::nullopt;
  if (!rows.has_null_leaves()) {
    for (uint64_t slot = 1; slot < block.count; ++slot) {
      if (!Equal(block, 0, slot)) return std::nullopt;
    }
    return 0;
  }
  std::optional<uint64_t> first;
  uint64_t slot = 0;
  for (uint64_t item = 0; item < rows.num_items; ++item) {
    if (!rows.is_visible(item)) continue;
    if (rows.definition[item] == 0) {
      if (!first) first = slot;
      if (!Equal(block, *first, slot)) return std::nullopt;
    }
    ++slot;
  }
  return first;
}

Status FillWith(uint64_t slot, arrow::MemoryPool* pool, LeafBlock* block) {
  FixedBlock& fixed = block->fixed;
  ARROW_ASSIGN_OR_RAISE(auto filled, ScratchArray<uint8_t>::Allocate(fixed.num_bytes(), pool));
  if (fixed.bits == 1) {
    const bool value = arrow::bit_util::GetBit(fixed.data, static_cast<int64_t>(slot));
    std::memset(filled.data(), value ? 0xFF : 0, filled.size());
  } else {
    const uint64_t width = fixed.width();
    const uint8_t* value = fixed.data + slot * width;
    for (uint64_t i = 0; i < fixed.count; ++i) std::memcpy(filled.data() + i * width, value, width);
  }
  fixed.data = filled.data();
  block->owned.push_back(filled.buffer());
  return Status::OK();
}

}  // namespace lance::encoding
