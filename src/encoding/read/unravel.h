#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/read/layer_arrays.h"
#include "encoding/read/leaf_shape.h"
#include "encoding/read/leaf_sink.h"

namespace lance::encoding {

/// Turns the levels of a leaf (canonical numbering, see page_levels.h) into one LayerArrays for
/// each layer of its path, outermost first (spec/encodings.md §2.4). Layers that pages have made
/// themselves are put between. Levels that contradict each other, or the number of values or rows,
/// are Corrupt.
Result<std::vector<LayerArrays>> Unravel(const LeafSink& sink, uint64_t num_rows,
                                         arrow::MemoryPool* pool);

}  // namespace lance::encoding
