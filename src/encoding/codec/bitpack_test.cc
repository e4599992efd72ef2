#include "encoding/codec/bitpack.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace lance::encoding {
namespace {

// The order as the specification words it, one bit at a time.
template <typename T>
std::vector<T> UnpackByDefinition(uint32_t width, const std::vector<uint8_t>& packed) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  constexpr uint32_t kLanes = 1024 / kBits;
  constexpr uint32_t kOrder[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  std::vector<T> out(1024);
  for (uint32_t row = 0; row < kBits; ++row) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      T value = 0;
      for (uint32_t bit = 0; bit < width; ++bit) {
        const uint32_t at = row * width + bit;
        const uint64_t byte = (uint64_t{at / kBits} * kLanes + lane) * sizeof(T) + at % kBits / 8;
        if (packed[byte] >> (at % 8) & 1) value = static_cast<T>(value | T{1} << bit);
      }
      out[kOrder[row / 8] * 16 + (row % 8) * 128 + lane] = value;
    }
  }
  return out;
}

template <typename T>
void CheckAllWidths() {
  std::mt19937_64 random(17 + sizeof(T));
  for (uint32_t width = 0; width <= sizeof(T) * 8; ++width) {
    SCOPED_TRACE(width);
    const T mask =
        width == sizeof(T) * 8 ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << width) - 1);
    std::vector<T> values(1024);
    for (T& value : values) value = static_cast<T>(random()) & mask;
    std::vector<uint8_t> packed(PackedWords<T>(width) * sizeof(T));
    PackBlock<T>(width, values.data(), packed.data());
    EXPECT_EQ(UnpackByDefinition<T>(width, packed), values);
    std::vector<T> unpacked(1024);
    UnpackBlock<T>(width, packed.data(), unpacked.data());
    EXPECT_EQ(unpacked, values);
    for (uint32_t i = 0; i < 1024; ++i) {
      ASSERT_EQ(UnpackOne<T>(width, packed.data(), i), values[i]) << i;
    }
  }
}

TEST(Bitpack, EightBits) { CheckAllWidths<uint8_t>(); }
TEST(Bitpack, SixteenBits) { CheckAllWidths<uint16_t>(); }
TEST(Bitpack, ThirtyTwoBits) { CheckAllWidths<uint32_t>(); }
TEST(Bitpack, SixtyFourBits) { CheckAllWidths<uint64_t>(); }

}  // namespace
}  // namespace lance::encoding
