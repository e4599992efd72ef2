#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/leaf_path.h"
#include "io/object_store.h"

namespace lance {

/// Writes the blobs of a column to the data file, each at a 64-byte boundary, and returns the
/// column with structs of position and size in their place (spec/encodings.md §3.4). `column` is
/// of the top-level field of `path`; only structs are above the blobs.
Result<std::shared_ptr<arrow::ArrayData>> StoreBlobs(const encoding::LeafPath& path,
                                                     const arrow::ArrayData& column,
                                                     ObjectWriter* writer, arrow::MemoryPool* pool);

}  // namespace lance
