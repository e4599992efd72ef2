#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance::query {

/// The values at `rows`, in that order.
Result<std::shared_ptr<arrow::Array>> Gather(arrow::MemoryPool* pool,
                                             const std::shared_ptr<arrow::Array>& array,
                                             const std::vector<int64_t>& rows);

/// The form in which kernels take arrays: dictionaries decoded, extension types unwrapped, views
/// copied.
Result<std::shared_ptr<arrow::Array>> Plain(arrow::MemoryPool* pool,
                                            const std::shared_ptr<arrow::Array>& array);
/// The type that Plain gives.
std::shared_ptr<arrow::DataType> PlainType(const std::shared_ptr<arrow::DataType>& type);

}  // namespace lance::query
