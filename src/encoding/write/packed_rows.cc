#include "encoding/write/packed_rows.h"

#include <cstring>

namespace lance::encoding {
namespace {

uint64_t MemberBytes(const LeafBlock& member) {
  return member.items_per_list() * member.fixed.width();
}

}  // namespace

Result<PackedRows> PackedRows::Make(std::span<const LeafBlock> members, uint64_t count,
                                    arrow::MemoryPool* pool) {
  PackedRows rows;
  for (const LeafBlock& member : members) rows.row_bytes += MemberBytes(member);
  ARROW_ASSIGN_OR_RAISE(rows.bytes, ScratchArray<uint8_t>::Allocate(count * rows.row_bytes, pool));
  uint64_t first = 0;
  for (const LeafBlock& member : members) {
    const uint64_t size = MemberBytes(member);
    const uint8_t* from = member.fixed.data;
    uint8_t* to = rows.bytes.data() + first;
    for (uint64_t i = 0; i < count; ++i, from += size, to += rows.row_bytes) {
      std::memcpy(to, from, size);
    }
    first += size;
  }
  return rows;
}

}  // namespace lance::encoding
