#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/shredder.h"

namespace lance::encoding {

/// `count` values of `bits` bits each, packed without gaps from bit 0.
struct FixedBlock {
  uint64_t count = 0;
  uint64_t bits = 0;
  const uint8_t* data = nullptr;

  /// For whole bytes.
  uint64_t width() const { return bits / 8; }
  uint64_t num_bytes() const { return (count * bits + 7) / 8; }
  /// Of one value; a single bit is a byte of 0 or 1.
  std::string value_bytes(uint64_t index) const;
};

/// So many bytes of a value may stand in the description of a page.
constexpr uint64_t kMaxInlineBytes = 32;

/// `count` byte strings: value i is bytes[offset(i), offset(i + 1)). Offsets need not start at 0.
struct VariableBlock {
  uint64_t count = 0;
  /// 32 or 64: the width on disk and of `offsets`. 32-bit offsets are unsigned.
  uint32_t offset_bits = 32;
  const uint8_t* offsets = nullptr;
  const uint8_t* bytes = nullptr;

  template <typename Offset>
  const Offset* offsets_as() const {
    return reinterpret_cast<const Offset*>(offsets);
  }
  uint64_t offset(uint64_t index) const {
    return offset_bits == 32 ? offsets_as<uint32_t>()[index] : offsets_as<uint64_t>()[index];
  }
  uint64_t length(uint64_t index) const { return offset(index + 1) - offset(index); }
  uint64_t num_bytes() const { return count == 0 ? 0 : offset(count) - offset(0); }
  /// Bytes and offsets: what the choices of codecs count as the size of the data.
  uint64_t data_size() const { return num_bytes() + (count + 1) * (offset_bits / 8); }
};

/// Which string is the longest, of at least one.
uint64_t LongestString(const VariableBlock& block);

/// One level of a (nested) primitive fixed-size list, the outer one first.
struct ListDimension {
  uint64_t size = 0;
  /// One bit per child of all lists, from bit 0; null if no child of a valid list is null.
  const uint8_t* child_validity = nullptr;
  /// Every child is null.
  bool all_null = false;
};

/// The leaf slots of a page, contiguous. Exactly one of the blocks is in use.
struct LeafBlock {
  enum class Kind : uint8_t { kFixed, kVariable, kFixedSizeList };

  Kind kind = Kind::kFixed;
  uint64_t count = 0;
  FixedBlock fixed;
  VariableBlock variable;
  /// kFixedSizeList: `fixed` holds the innermost items of all lists.
  std::vector<ListDimension> dimensions;
  /// Keeps copied memory alive; other memory belongs to the input arrays.
  std::vector<std::shared_ptr<arrow::Buffer>> owned;

  /// Innermost items of one list.
  uint64_t items_per_list() const;
  /// A fixed-size list whose innermost items are all null.
  bool all_items_null() const { return !dimensions.empty() && dimensions.back().all_null; }
};

/// Brings the leaf slots together. A single slice is used in place. Strings under nulls become
/// empty; other slots under nulls keep their bytes.
Result<LeafBlock> GatherLeaves(const arrow::DataType& type, const ShreddedRows& rows,
                               arrow::MemoryPool* pool);

/// The same for one member of packed structs, which are the leaves of `rows`.
Result<LeafBlock> GatherMember(const arrow::DataType& type, size_t member, const ShreddedRows& rows,
                               arrow::MemoryPool* pool);

/// For each null leaf slot calls `visit(slot)`, in order.
template <typename Visit>
void ForEachNullLeaf(const ShreddedRows& rows, Visit&& visit) {
  if (!rows.has_null_leaves()) return;
  const uint16_t* definition = rows.definition.data();
  uint64_t slot = 0;
  for (uint64_t item = 0; item < rows.num_items; ++item) {
    if (definition[item] > rows.max_visible_definition) continue;
    if (definition[item] != 0) visit(slot);
    ++slot;
  }
}

}  // namespace lance::encoding
