#pragma once

#include <cstdint>

namespace lance {

/// Levels of fields at most: deeper schemas are refused, as every walk over the tree recurses.
constexpr int32_t kMaxFieldLevels = 128;

}  // namespace lance
