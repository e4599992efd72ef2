#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance::query {

constexpr int64_t kNullRank = -1;

/// Whether items of this type have an order. False for null.
bool HasRanks(const std::shared_ptr<arrow::DataType>& item);

/// The place of each item in the order of all: equal ones share it, nulls have kNullRank.
Result<std::vector<int64_t>> RanksOf(arrow::MemoryPool* pool,
                                     const std::shared_ptr<arrow::Array>& items);

}  // namespace lance::query
