#pragma once

#include <cstdint>
#include <span>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/scratch_array.h"
#include "encoding/write/value_block.h"

namespace lance::encoding {

/// Rows of packed structs whose members have one width, also fixed-size lists of whole bytes: the
/// values of the members side by side, without gaps.
struct PackedRows {
  /// `count` rows of `row_bytes` each.
  ScratchArray<uint8_t> bytes;
  uint64_t row_bytes = 0;

  static Result<PackedRows> Make(std::span<const LeafBlock> members, uint64_t count,
                                 arrow::MemoryPool* pool);
};

}  // namespace lance::encoding
