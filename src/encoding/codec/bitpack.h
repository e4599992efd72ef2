#pragma once

#include <cstdint>

namespace lance::encoding {

/// Values per block of the FastLanes order.
constexpr uint32_t kBitpackBlock = 1024;

/// Words of T bits that a packed block of 1024 values takes at `width` bits each.
template <typename T>
constexpr uint64_t PackedWords(uint32_t width) {
  return uint64_t{kBitpackBlock} * width / (sizeof(T) * 8);
}

// Packing in the transposed ("FastLanes") order of spec/encodings.md §4.3, for
// T = uint8_t, uint16_t, uint32_t, uint64_t.
//
// A block of 1024 values is spread over 1024/bits(T) lanes; each lane is a bit stream of bits(T)
// values, and word k of all lanes stand together, so that the inner loops run over neighbouring
// lanes. `width` is 0 … bits(T). Packed words need no alignment.

/// Unpacks a whole block: reads PackedWords<T>(width) words, writes 1024 values.
template <typename T>
void UnpackBlock(uint32_t width, const uint8_t* packed, T* values);

/// Packs a whole block of 1024 values, each below 2^width.
template <typename T>
void PackBlock(uint32_t width, const T* values, uint8_t* packed);

/// Where a value stands in a packed block: from bit `shift` of the word at byte `offset` on, and if
/// it is `split`, goes on with the word kPackedStride bytes behind that one.
struct PackedPlace {
  uint32_t offset = 0;
  uint32_t shift = 0;
  bool split = false;

  /// Of the words that hold the value, and what stands between them.
  uint32_t size(uint32_t word_bytes) const;
};

/// Bytes from a word of a lane to its next.
constexpr uint32_t kPackedStride = kBitpackBlock / 8;

inline uint32_t PackedPlace::size(uint32_t word_bytes) const {
  return split ? kPackedStride + word_bytes : word_bytes;
}

/// The place of value `index` < 1024, for widths above 0.
template <typename T>
PackedPlace PlaceOfPacked(uint32_t width, uint32_t index);

/// The value at a place, whose first word is at `word`.
template <typename T>
T UnpackAt(uint32_t width, PackedPlace place, const uint8_t* word);

/// One value of a packed block, index < 1024.
template <typename T>
T UnpackOne(uint32_t width, const uint8_t* packed, uint32_t index);

}  // namespace lance::encoding
