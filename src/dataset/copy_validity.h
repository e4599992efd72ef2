#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// The validity bits of an array from bit 0; null if no row is null.
Result<std::shared_ptr<arrow::Buffer>> CopyValidity(const arrow::Array& array,
                                                    arrow::MemoryPool* pool);

}  // namespace lance
