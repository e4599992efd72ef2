#pragma once

#include <cstdint>
#include <span>

namespace lance::encoding {

// Out-of-line bitpacking (spec/encodings.md §4.4), for T = uint8_t … uint64_t: groups of 1024
// values of one width; the last, partial group is zero-padded and packed, or stored as plain
// words when that is smaller.

/// Bytes of `count` values packed at `width` bits.
template <typename T>
uint64_t OutOfLinePackedSize(uint64_t count, uint32_t width);

/// Packs values below 2^width, width < bits(T); returns OutOfLinePackedSize bytes.
template <typename T>
uint64_t PackOutOfLine(std::span<const T> values, uint32_t width, uint8_t* out);

}  // namespace lance::encoding
