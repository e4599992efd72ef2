#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// The batch with nulls among the keys of its dictionaries instead of among their values: Arrow
/// doesn't put dictionaries of nulls together. Files of version 2.0 have such.
Result<std::shared_ptr<arrow::RecordBatch>> WithoutNullValues(
    const std::shared_ptr<arrow::RecordBatch>& batch, arrow::MemoryPool* pool);

}  // namespace lance
