#pragma once

#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/read/leaf_sink.h"
#include "encoding/read/unravel.h"
#include "schema/schema.h"

namespace lance {

/// A decoded leaf column: its values and, outermost first, the arrays of its layers.
struct LeafArrays {
  std::unique_ptr<encoding::LeafSink> sink;
  std::vector<encoding::LayerArrays> layers;
};

/// Builds the Arrow array of a top-level field from its leaves (in column order), wrapped in the
/// extension type when `type` is one. Leaves that disagree about their parents are Corrupt.
Result<std::shared_ptr<arrow::Array>> AssembleField(const Field& field,
                                                    const std::shared_ptr<arrow::DataType>& type,
                                                    std::span<LeafArrays> leaves,
                                                    arrow::MemoryPool* pool);

}  // namespace lance
