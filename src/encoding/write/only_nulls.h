#pragma once

#include <cstdint>
#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/leaf_path.h"

namespace lance::encoding {

/// Fixed-size lists whose items have no width of their own: strings, nulls, values of no bytes.
/// There is no encoding for their items but that all are null.
bool IsListWithoutWidth(const arrow::DataType& type);

/// Whether a leaf has a value: of such a list, a valid item that is within valid lists only.
Result<bool> HasLeafValues(const LeafPath& path, const std::shared_ptr<arrow::ArrayData>& array,
                           arrow::MemoryPool* pool);

}  // namespace lance::encoding
