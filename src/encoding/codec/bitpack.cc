#include "encoding/codec/bitpack.h"

#include <cstring>

// Compiled once per instruction set; the loops over lanes are left to the vectoriser.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "encoding/codec/bitpack.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lance::encoding {
namespace HWY_NAMESPACE {

template <typename T>
void UnpackLanes(uint32_t width, const uint8_t* packed, T* values) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  constexpr uint32_t kLanes = kBitpackBlock / kBits;
  constexpr uint32_t kOrder[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  const T mask = width == kBits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << width) - 1);
  for (uint32_t row = 0; row < kBits; ++row) {
    const uint32_t bit = row * width;
    const uint32_t word = bit / kBits;
    const uint32_t shift = bit % kBits;
    T* out = values + kOrder[row / 8] * 16 + (row % 8) * 128;
    T low[kLanes];
    std::memcpy(low, packed + uint64_t{word} * kLanes * sizeof(T), sizeof(low));
    if (shift + width > kBits) {
      T high[kLanes];
      std::memcpy(high, packed + uint64_t{word + 1} * kLanes * sizeof(T), sizeof(high));
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        out[lane] = static_cast<T>(((low[lane] >> shift) | (high[lane] << (kBits - shift))) & mask);
      }
    } else {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        out[lane] = static_cast<T>((low[lane] >> shift) & mask);
      }
    }
  }
}

template <typename T>
void PackLanes(uint32_t width, const T* values, uint8_t* packed) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  constexpr uint32_t kLanes = kBitpackBlock / kBits;
  constexpr uint32_t kOrder[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  T current[kLanes] = {};
  uint32_t word = 0;
  for (uint32_t row = 0; row < kBits; ++row) {
    const uint32_t shift = (row * width) % kBits;
    const T* in = values + kOrder[row / 8] * 16 + (row % 8) * 128;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      current[lane] = static_cast<T>(current[lane] | (in[lane] << shift));
    }
    if (shift + width < kBits) continue;
    std::memcpy(packed + uint64_t{word} * kLanes * sizeof(T), current, sizeof(current));
    ++word;
    const uint32_t taken = kBits - shift;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      current[lane] = taken >= kBits ? T{0} : static_cast<T>(in[lane] >> taken);
    }
  }
}

void Unpack8(uint32_t w, const uint8_t* p, uint8_t* v) { UnpackLanes<uint8_t>(w, p, v); }
void Unpack16(uint32_t w, const uint8_t* p, uint16_t* v) { UnpackLanes<uint16_t>(w, p, v); }
void Unpack32(uint32_t w, const uint8_t* p, uint32_t* v) { UnpackLanes<uint32_t>(w, p, v); }
void Unpack64(uint32_t w, const uint8_t* p, uint64_t* v) { UnpackLanes<uint64_t>(w, p, v); }
void Pack8(uint32_t w, const uint8_t* v, uint8_t* p) { PackLanes<uint8_t>(w, v, p); }
void Pack16(uint32_t w, const uint16_t* v, uint8_t* p) { PackLanes<uint16_t>(w, v, p); }
void Pack32(uint32_t w, const uint32_t* v, uint8_t* p) { PackLanes<uint32_t>(w, v, p); }
void Pack64(uint32_t w, const uint64_t* v, uint8_t* p) { PackLanes<uint64_t>(w, v, p); }

}  // namespace HWY_NAMESPACE
}  // namespace lance::encoding
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lance::encoding {

HWY_EXPORT(Unpack8);
HWY_EXPORT(Unpack16);
HWY_EXPORT(Unpack32);
HWY_EXPORT(Unpack64);
HWY_EXPORT(Pack8);
HWY_EXPORT(Pack16);
HWY_EXPORT(Pack32);
HWY_EXPORT(Pack64);

template <typename T>
void UnpackBlock(uint32_t width, const uint8_t* packed, T* values) {
  if (width == 0) {
    std::memset(values, 0, kBitpackBlock * sizeof(T));
    return;
  }
  if constexpr (sizeof(T) == 1) HWY_DYNAMIC_DISPATCH(Unpack8)(width, packed, values);
  if constexpr (sizeof(T) == 2) HWY_DYNAMIC_DISPATCH(Unpack16)(width, packed, values);
  if constexpr (sizeof(T) == 4) HWY_DYNAMIC_DISPATCH(Unpack32)(width, packed, values);
  if constexpr (sizeof(T) == 8) HWY_DYNAMIC_DISPATCH(Unpack64)(width, packed, values);
}

template <typename T>
void PackBlock(uint32_t width, const T* values, uint8_t* packed) {
  if (width == 0) return;
  if constexpr (sizeof(T) == 1) HWY_DYNAMIC_DISPATCH(Pack8)(width, values, packed);
  if constexpr (sizeof(T) == 2) HWY_DYNAMIC_DISPATCH(Pack16)(width, values, packed);
  if constexpr (sizeof(T) == 4) HWY_DYNAMIC_DISPATCH(Pack32)(width, values, packed);
  if constexpr (sizeof(T) == 8) HWY_DYNAMIC_DISPATCH(Pack64)(width, values, packed);
}

template <typename T>
PackedPlace PlaceOfPacked(uint32_t width, uint32_t index) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  constexpr uint32_t kLanes = kBitpackBlock / kBits;
  // The order of the row groups is its own inverse.
  constexpr uint32_t kOrder[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  const uint32_t within = index % 128;
  const uint32_t row = kOrder[within / kLanes * (kLanes / 16)] * 8 + index / 128;
  const uint32_t lane = within % kLanes;
  const uint32_t bit = row * width;
  const uint32_t shift = bit % kBits;
  return {static_cast<uint32_t>((bit / kBits * kLanes + lane) * sizeof(T)), shift,
          shift + width > kBits};
}

template <typename T>
T UnpackAt(uint32_t width, PackedPlace place, const uint8_t* word) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  T low;
  std::memcpy(&low, word, sizeof(T));
  T value = static_cast<T>(low >> place.shift);
  if (place.split) {
    T high;
    std::memcpy(&high, word + kPackedStride, sizeof(T));
    value = static_cast<T>(value | (high << (kBits - place.shift)));
  }
  return width == kBits ? value : static_cast<T>(value & ((T{1} << width) - 1));
}

template <typename T>
T UnpackOne(uint32_t width, const uint8_t* packed, uint32_t index) {
  if (width == 0) return 0;
  const PackedPlace place = PlaceOfPacked<T>(width, index);
  return UnpackAt<T>(width, place, packed + place.offset);
}

#define LANCE_INSTANTIATE(T)                                   \
  template void UnpackBlock<T>(uint32_t, const uint8_t*, T*);  \
  template void PackBlock<T>(uint32_t, const T*, uint8_t*);    \
  template T UnpackOne<T>(uint32_t, const uint8_t*, uint32_t); \
  template PackedPlace PlaceOfPacked<T>(uint32_t, uint32_t);   \
  template T UnpackAt<T>(uint32_t, PackedPlace, const uint8_t*);
LANCE_INSTANTIATE(uint8_t)
LANCE_INSTANTIATE(uint16_t)
LANCE_INSTANTIATE(uint32_t)
LANCE_INSTANTIATE(uint64_t)
#undef LANCE_INSTANTIATE

}  // namespace lance::encoding
#endif  // HWY_ONCE
