#pragma once

#include <cstdint>

#include "base/roaring_bitmap.h"
#include "query/index/row_set.h"

namespace lance {

/// Rows that indexes have found, or that a list names.
struct Candidates {
  /// Fragments without rows elsewhere than in `rows`.
  RoaringBitmap covered;
  /// Those of them that the indexes have answered for.
  RoaringBitmap searched;
  query::RowSet rows = query::RowSet::None();
  /// The part of the filter that the indexes answered is true for all of them.
  bool is_exact = false;

  /// Null if all rows of the fragment have to be tested.
  const query::OffsetSet* Of(uint64_t fragment_id) const;
  /// The part of the filter that the indexes answered needn't be tested.
  bool IsTested(uint64_t fragment_id) const;
};

}  // namespace lance
