#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "encoding/read/leaf_shape.h"

namespace lance::encodings21 {
class CompressiveEncoding;
}

namespace lance::encoding {

/// One nesting depth of a primitive fixed-size list, as a page stores it.
struct ListDepth {
  uint64_t items_per_value;  ///< items at this depth in one value of the column
  bool has_validity;         ///< whether these items may be null
};

/// The fixed-size lists around an encoding, outermost first, and what they hold.
struct UnwrappedLists {
  std::vector<ListDepth> depths;
  uint64_t items_per_value = 1;
  const encodings21::CompressiveEncoding* items = nullptr;
};

/// Checks the lists against the column's dimensions; of other columns there are none.
Result<UnwrappedLists> UnwrapFixedSizeLists(const encodings21::CompressiveEncoding& encoding,
                                            const LeafShape& shape);

}  // namespace lance::encoding
