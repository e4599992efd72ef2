#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "encoding/read/leaf_shape.h"

namespace lance::encoding {

/// How the levels of one page are numbered, and how they map to the numbering that all pages of a
/// column share.
///
/// A page gives definition numbers only to what occurs in it (spec/encodings.md §2.2). In the
/// canonical numbering every layer has its numbers, innermost first: an item layer one (null), a
/// list layer two (null, empty).
struct PageLevels {
  uint16_t max_def = 0;
  uint16_t max_rep = 0;
  /// Items with a definition of at most this own a value.
  uint16_t max_visible_def = 0;
  /// By the page's definition number; max_def + 1 entries.
  std::vector<uint16_t> to_canonical;

  /// `layers`: RepDefLayer numbers of the wire, innermost first. They must fit the column.
  static Result<PageLevels> Make(const std::vector<int>& layers, const LeafShape& shape);
};

}  // namespace lance::encoding
