#pragma once

#include <chrono>
#include <cstdint>

namespace lance {

/// Wall clock, nanoseconds since the epoch.
inline int64_t NowNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace lance
