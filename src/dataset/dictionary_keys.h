#pragma once

#include <cstdint>
#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// How many values keys of an integer type can stand for.
uint64_t KeyCapacity(const arrow::DataType& key);

/// The keys of a dictionary of `items` values, no more than the type can stand for, as keys of
/// another integer type. A key without a value is a user error.
Result<std::shared_ptr<arrow::Array>> ChangeKeys(const std::shared_ptr<arrow::Array>& keys,
                                                 uint64_t items,
                                                 const std::shared_ptr<arrow::DataType>& type,
                                                 arrow::MemoryPool* pool);

}  // namespace lance
