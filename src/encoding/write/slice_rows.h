#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"

namespace lance::encoding {

/// Rows [first, first + count) of arrays that stand one after the other. Nothing is copied.
std::vector<std::shared_ptr<arrow::ArrayData>> SliceRows(
    const std::vector<std::shared_ptr<arrow::ArrayData>>& arrays, uint64_t first, uint64_t count);

}  // namespace lance::encoding
