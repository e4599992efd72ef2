#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lance::query {

/// A span of time: months have no fixed length.
struct Interval {
  int64_t months = 0;
  int64_t nanos = 0;  ///< days have 24 hours here
};

/// `15 minutes`, `1 day 2.5 hours`, `3 mons`. Nothing if it isn't understood, or too long.
std::optional<Interval> ParseInterval(std::string_view text);

}  // namespace lance::query
