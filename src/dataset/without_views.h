#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// The batch with strings and binary in the place of views, of which Arrow takes no rows.
Result<std::shared_ptr<arrow::RecordBatch>> WithoutViews(
    const std::shared_ptr<arrow::RecordBatch>& batch, arrow::MemoryPool* pool);

}  // namespace lance
