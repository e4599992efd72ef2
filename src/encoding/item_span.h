#pragma once

#include <cstdint>

#include "encoding/read/leaf_shape.h"

namespace lance::encoding {

/// Where the items of one list lie among all rows of the column below, before 2.1.
struct ItemSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// What pages of list columns decode to: one ItemSpan a list.
inline LeafShape ItemSpanShape() {
  LeafShape shape;
  shape.value_bits = sizeof(ItemSpan) * 8;
  shape.layers = {{LayerKind::kItem}};
  return shape;
}

}  // namespace lance::encoding
