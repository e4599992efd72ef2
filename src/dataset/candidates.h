#pragma once

#include <cstdint>

#include "base/roaring_bitmap.h"
#include "query/index/row_set.h"

namespace lance {

/// Rows that indexes have found.
struct Candidates {
  /// Fragments without rows elsewhere than in `rows`.
  RoaringBitmap covered;
  query::RowSet rows = query::RowSet::None();
  /// The part of the filter that the indexes answered is true for all of them.
  bool is_exact = false;

  /// Null if all rows of the fragment have to be tested.
  const query::OffsetSet* Of(uint64_t fragment_id) const;
};

}  // namespace lance
