#pragma once

#include <cstdint>
#include <map>

#include "base/roaring_bitmap.h"
#include "table/row_words.h"

namespace lance {

/// A set of row addresses: one bitmap of offsets for each fragment that has any.
struct RowAddressSet {
  std::map<uint32_t, RoaringBitmap> fragments;

  void Add(RowAddress address) { fragments[FragmentIdOf(address)].add(OffsetOf(address)); }
  bool Contains(RowAddress address) const {
    auto at = fragments.find(FragmentIdOf(address));
    return at != fragments.end() && at->second.contains(OffsetOf(address));
  }
  uint64_t size() const {
    uint64_t count = 0;
    for (const auto& [id, offsets] : fragments) count += offsets.cardinality();
    return count;
  }
};

}  // namespace lance
