#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// The values of an array at `rows` (integers below its length, or null), in that order.
Result<std::shared_ptr<arrow::Array>> TakeRows(const std::shared_ptr<arrow::Array>& array,
                                               const std::shared_ptr<arrow::Array>& rows,
                                               arrow::MemoryPool* pool);

/// Of each column.
Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(
    const std::shared_ptr<arrow::RecordBatch>& batch, const std::shared_ptr<arrow::Array>& rows,
    arrow::MemoryPool* pool);

}  // namespace lance
