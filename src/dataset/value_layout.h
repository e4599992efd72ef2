#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// The same values in another layout: strings and binary values of any offsets, as views or in
/// dictionaries, decimals of any width. Nothing is copied that can be shared. OverBudget, with the
/// size of the values, where the layout can't hold them; fewer of them may fit.
Result<std::shared_ptr<arrow::Array>> ToLayout(const std::shared_ptr<arrow::Array>& values,
                                               const std::shared_ptr<arrow::DataType>& type,
                                               arrow::MemoryPool* pool);

/// That `bytes` of values don't fit into a layout.
Status LayoutOverflow(uint64_t bytes, const arrow::DataType& type);

}  // namespace lance
