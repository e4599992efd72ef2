#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "query/expr/expr.h"

namespace lance::query {

/// The value of an expression for each row of a batch of the schema that it was bound to.
///
/// A condition is only evaluated for the rows that it decides: the right side of AND where the left
/// one is not false, a branch of CASE where it is taken. So `x <> 0 AND 10 / x > 1` never divides
/// by zero.
Result<std::shared_ptr<arrow::Array>> Evaluate(const Expr& expr, const arrow::RecordBatch& batch,
                                               arrow::MemoryPool* pool);

/// The rows for which a condition is true, ascending.
Result<std::vector<int64_t>> MatchingRows(const Expr& filter, const arrow::RecordBatch& batch,
                                          arrow::MemoryPool* pool);

}  // namespace lance::query
