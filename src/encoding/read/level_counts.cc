#include "encoding/read/level_counts.h"

#include <algorithm>

namespace lance::encoding {
namespace {

// So many sums of 16 bits can't overflow.
constexpr uint64_t kBlock = 32768;

template <typename Test>
uint64_t CountWhere(const uint16_t* levels, uint64_t count, Test test) {
  uint64_t found = 0;
  for (uint64_t start = 0; start < count; start += kBlock) {
    const uint64_t end = std::min(count, start + kBlock);
    uint16_t in_block = 0;
    for (uint64_t i = start; i < end; ++i) {
      in_block = static_cast<uint16_t>(in_block + (test(levels[i]) ? 1 : 0));
    }
    found += in_block;
  }
  return found;
}

}  // namespace

uint16_t LargestLevel(const uint16_t* levels, uint64_t count) {
  uint16_t largest = 0;
  for (uint64_t i = 0; i < count; ++i) largest = std::max(largest, levels[i]);
  return largest;
}

bool HasLevel(const uint16_t* levels, uint64_t count, uint16_t wanted) {
  uint16_t found = 0;
  for (uint64_t i = 0; i < count; ++i) {
    found = static_cast<uint16_t>(found | static_cast<uint16_t>(levels[i] == wanted ? 1 : 0));
  }
  return found != 0;
}

uint64_t CountLevels(const uint16_t* levels, uint64_t count, uint16_t wanted) {
  return CountWhere(levels, count, [wanted](uint16_t level) { return level == wanted; });
}

// Without branches on the levels, which can't be predicted.
uint64_t PositionOfLevel(const uint16_t* levels, uint64_t count, uint16_t wanted, uint64_t before) {
  uint64_t found = 0;
  uint64_t position = 0;
  for (uint64_t i = 0; i < count; ++i) {
    found += levels[i] == wanted ? 1 : 0;
    position += found <= before ? 1 : 0;
  }
  return position;
}

uint64_t CountLevelsUpTo(const uint16_t* levels, uint64_t count, uint16_t limit) {
  return CountWhere(levels, count, [limit](uint16_t level) { return level <= limit; });
}

}  // namespace lance::encoding
