#include "encoding/write/fixed_value_writer.h"

#include <cstring>

#include "arrow/util/bit_util.h"
#include "encodings21.pb.h"

namespace lance::encoding {

FixedValueWriter::FixedValueWriter(const LeafBlock& block) {
  uint64_t items = 1;
  for (const ListDimension& dimension : block.dimensions) {
    items *= dimension.size;
    if (dimension.child_validity == nullptr) continue;
    parts_.push_back({dimension.child_validity, items});
    has_validity_ = true;
  }
  if (!block.all_items_null()) parts_.push_back({block.fixed.data, items * block.fixed.bits});
  for (const Part& part : parts_) bytes_ += (part.bits + 7) / 8;
}

uint8_t* FixedValueWriter::Write(uint64_t slot, uint8_t* out) const {
  for (const Part& part : parts_) {
    const uint64_t size = (part.bits + 7) / 8;
    const uint64_t start = slot * part.bits;
    if (part.bits % 8 == 0) {
      std::memcpy(out, part.data + start / 8, size);
    } else {
      std::memset(out, 0, size);
      for (uint64_t bit = 0; bit < part.bits; ++bit) {
        const bool set = arrow::bit_util::GetBit(part.data, static_cast<int64_t>(start + bit));
        arrow::bit_util::SetBitTo(out, static_cast<int64_t>(bit), set);
      }
    }
    out += size;
  }
  return out;
}

void DescribeFixed(const LeafBlock& block, encodings21::CompressiveEncoding* out) {
  encodings21::CompressiveEncoding* level = out;
  for (const ListDimension& dimension : block.dimensions) {
    auto* list = level->mutable_fixed_size_list();
    list->set_items_per_value(dimension.size);
    list->set_has_validity(dimension.child_validity != nullptr);
    level = list->mutable_values();
  }
  if (block.all_items_null()) {
    level->mutable_constant();
    return;
  }
  // Single values of one bit are widened to a byte; lists of them are not.
  const bool widened = block.dimensions.empty() && block.fixed.bits == 1;
  level->mutable_flat()->set_bits_per_value(widened ? 8 : block.fixed.bits);
}

}  // namespace lance::encoding
