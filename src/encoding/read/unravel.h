#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/read/leaf_shape.h"
#include "encoding/read/leaf_sink.h"

namespace lance::encoding {

/// Validity and offsets of one layer, ready for an Arrow array.
struct LayerArrays {
  uint64_t length = 0;
  int64_t null_count = 0;
  std::shared_ptr<arrow::Buffer> validity;  ///< null when there are no nulls
  std::shared_ptr<arrow::Buffer> offsets;   ///< of lists, 32 or 64 bits
};

/// Turns the levels of a leaf (canonical numbering, see page_levels.h) into one LayerArrays for
/// each layer of its path, outermost first (spec/encodings.md §2.4). Levels that contradict each
/// other, or the number of values or rows, are Corrupt.
Result<std::vector<LayerArrays>> Unravel(const LeafSink& sink, uint64_t num_rows,
                                         arrow::MemoryPool* pool);

}  // namespace lance::encoding
