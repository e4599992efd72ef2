#pragma once

#include <cstdint>
#include <optional>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/value_block.h"

namespace lance::encoding {

/// A valid leaf slot whose value all valid slots have, if there is one; not for fixed-size lists.
/// Some slot is valid.
std::optional<uint64_t> FindConstant(const LeafBlock& block, const ShreddedRows& rows);

/// Gives every slot of a block of fixed width (whole bytes or single bits) the value of `slot`.
Status FillWith(uint64_t slot, arrow::MemoryPool* pool, LeafBlock* block);

}  // namespace lance::encoding
