#pragma once

#include <cstdint>
#include <memory>

#include "arrow/type_fwd.h"

namespace lance::encoding {

/// Validity and offsets of one layer, ready for an Arrow array.
struct LayerArrays {
  uint64_t length = 0;
  int64_t null_count = 0;
  std::shared_ptr<arrow::Buffer> validity;  ///< null when there are no nulls
  std::shared_ptr<arrow::Buffer> offsets;   ///< of lists, 32 or 64 bits
};

}  // namespace lance::encoding
