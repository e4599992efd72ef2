#pragma once

#include <cstdint>

namespace lance::encoding {

// What levels hold, counted in vectors of 16-bit numbers. `levels` has `count` of them.

uint16_t LargestLevel(const uint16_t* levels, uint64_t count);
bool HasLevel(const uint16_t* levels, uint64_t count, uint16_t wanted);
uint64_t CountLevels(const uint16_t* levels, uint64_t count, uint16_t wanted);
/// How many levels stand before the `wanted` that `before` others precede; `count` if there is
/// none.
uint64_t PositionOfLevel(const uint16_t* levels, uint64_t count, uint16_t wanted, uint64_t before);
uint64_t CountLevelsUpTo(const uint16_t* levels, uint64_t count, uint16_t limit);

}  // namespace lance::encoding
