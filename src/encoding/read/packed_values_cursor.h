#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "encoding/read/mini_block_page.h"

namespace lance::encoding {

// Scattered rows of mini-block pages whose chunks are bit-packed numbers without levels: the bit
// width follows from the size of a chunk, and with it the words that hold a value, which alone are
// read.

/// Whether so few rows stand together that this reads less than whole chunks.
bool AreScattered(const std::vector<RowRange>& rows);
/// The bit width of a packed chunk of `size` bytes; none if no packed chunk has that size.
std::optional<uint32_t> PackedBitWidth(uint64_t size, uint64_t value_bits);
/// For pages of which all chunks have a PackedBitWidth.
std::unique_ptr<PageCursor> MakePackedValuesCursor(const MiniBlockPage& page, uint64_t value_bits,
                                                   std::vector<RowRange> rows);

}  // namespace lance::encoding
