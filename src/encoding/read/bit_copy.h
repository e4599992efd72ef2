#pragma once

#include <cstdint>
#include <cstring>

#include "arrow/util/bit_util.h"
#include "arrow/util/bitmap_ops.h"

namespace lance::encoding {

/// Bytes that hold `bits` bits.
inline uint64_t BytesForBits(uint64_t bits) { return (bits + 7) / 8; }

/// Copies `bits` bits; byte-aligned ranges are a memcpy.
inline void CopyBits(const uint8_t* from, uint64_t from_bit, uint64_t bits, uint8_t* to,
                     uint64_t to_bit) {
  if (bits == 0) return;
  if (((from_bit | to_bit | bits) & 7) == 0) {
    std::memcpy(to + to_bit / 8, from + from_bit / 8, bits / 8);
    return;
  }
  arrow::internal::CopyBitmap(from, static_cast<int64_t>(from_bit), static_cast<int64_t>(bits), to,
                              static_cast<int64_t>(to_bit));
}

}  // namespace lance::encoding
