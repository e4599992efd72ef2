#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace lance {

/// A column with only those members of packed structs that `wanted` has, wherever they are nested.
Result<std::shared_ptr<arrow::Array>> PickPackedMembers(const Field& wanted,
                                                        const std::shared_ptr<arrow::Array>& column,
                                                        arrow::MemoryPool* pool);

}  // namespace lance
