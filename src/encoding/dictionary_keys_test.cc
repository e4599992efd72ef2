#include "encoding/dictionary_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace lance::encoding {
namespace {

// Keys of any width, as the numbers that they are read as.
std::vector<uint8_t> Pack(const std::vector<uint64_t>& keys, int32_t width) {
  std::vector<uint8_t> bytes(keys.size() * static_cast<size_t>(width) + 1);
  for (size_t i = 0; i < keys.size(); ++i) {
    std::memcpy(bytes.data() + i * static_cast<size_t>(width), &keys[i],
                static_cast<size_t>(width));
  }
  return bytes;
}

uint64_t Cut(uint64_t key, int32_t width) {
  return width == 8 ? key : key & ((uint64_t{1} << (8 * width)) - 1);
}

TEST(DictionaryKeys, AgreeWithTheirDefinition) {
  std::mt19937_64 random(7);
  for (int32_t width : {1, 2, 4, 8}) {
    for (int round = 0; round < 400; ++round) {
      std::vector<uint64_t> keys(random() % 70);
      const uint64_t half = uint64_t{1} << (8 * width - 1);
      const uint64_t items = round % 5 == 0 ? half + random() % half : random() % 130;
      for (uint64_t& key : keys) {
        key = Cut(round % 3 == 0 ? random() : random() % (items + 1), width);
        if (items > 0 && round % 3 == 1) key %= items;
      }
      const bool all_below =
          std::all_of(keys.begin(), keys.end(), [items](uint64_t key) { return key < items; });
      const auto bytes = Pack(keys, width);
      const auto count = static_cast<int64_t>(keys.size());
      EXPECT_EQ(AreBelow(items, bytes.data(), count, width), all_below) << width << " " << items;
      for (int32_t to : {1, 2, 4, 8}) {
        std::vector<uint8_t> out(keys.size() * static_cast<size_t>(to) + 1);
        const bool known = CopyKeysBelow(items, bytes.data(), width, count, to, out.data());
        if (items <= half) {
          EXPECT_EQ(known, all_below);
        } else {
          EXPECT_TRUE(!known || all_below);
        }
        if (items == 0) continue;
        std::vector<uint64_t> cut(keys);
        for (uint64_t& key : cut) key = Cut(key, to);
        EXPECT_EQ(out, Pack(cut, to));
      }
    }
  }
}

}  // namespace
}  // namespace lance::encoding
