#pragma once

#include <cstdint>

namespace lance {

/// Rows [start, start + count) of a page, file or fragment.
struct RowRange {
  uint64_t start = 0;
  uint64_t count = 0;

  uint64_t end() const { return start + count; }
  bool operator==(const RowRange&) const = default;
};

}  // namespace lance
