#include "encoding/write/out_of_line_packing.h"

#include <algorithm>
#include <cstring>

#include "encoding/codec/bitpack.h"

namespace lance::encoding {
namespace {

template <typename T>
uint64_t GroupBytes(uint32_t width) {
  return PackedWords<T>(width) * sizeof(T);
}

}  // namespace

template <typename T>
uint64_t OutOfLinePackedSize(uint64_t count, uint32_t width) {
  const uint64_t tail_bytes = count % kBitpackBlock * sizeof(T);
  return count / kBitpackBlock * GroupBytes<T>(width) + std::min(tail_bytes, GroupBytes<T>(width));
}

template <typename T>
uint64_t PackOutOfLine(std::span<const T> values, uint32_t width, uint8_t* out) {
  uint8_t* at = out;
  uint64_t done = 0;
  for (; done + kBitpackBlock <= values.size(); done += kBitpackBlock) {
    PackBlock<T>(width, values.data() + done, at);
    at += GroupBytes<T>(width);
  }
  const std::span<const T> tail = values.subspan(done);
  if (tail.empty()) return static_cast<uint64_t>(at - out);
  if (tail.size_bytes() <= GroupBytes<T>(width)) {
    std::memcpy(at, tail.data(), tail.size_bytes());
    return static_cast<uint64_t>(at - out) + tail.size_bytes();
  }
  T padded[kBitpackBlock] = {};
  std::memcpy(padded, tail.data(), tail.size_bytes());
  PackBlock<T>(width, padded, at);
  return static_cast<uint64_t>(at - out) + GroupBytes<T>(width);
}

#define LANCE_INSTANTIATE(T)                                    \
  template uint64_t OutOfLinePackedSize<T>(uint64_t, uint32_t); \
  template uint64_t PackOutOfLine<T>(std::span<const T>, uint32_t, uint8_t*);
LANCE_INSTANTIATE(uint8_t)
LANCE_INSTANTIATE(uint16_t)
LANCE_INSTANTIATE(uint32_t)
LANCE_INSTANTIATE(uint64_t)
#undef LANCE_INSTANTIATE

}  // namespace lance::encoding
