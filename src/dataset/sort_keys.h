#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "lance/dataset.h"

namespace lance {

/// Columns that sort as rows are to be sorted, given the values of their keys: floats by their
/// total order (NaN above all numbers), nulls where they belong.
Result<std::shared_ptr<arrow::RecordBatch>> SortableKeys(const std::vector<SortKey>& keys,
                                                         const arrow::ArrayVector& values,
                                                         int64_t rows, arrow::MemoryPool* pool);

/// The numbers of the rows in their order; equal rows stay in theirs. `columns` are those of
/// SortableKeys, the first columns of `rows`.
Result<std::shared_ptr<arrow::UInt64Array>> SortedRows(const std::vector<SortKey>& keys,
                                                       const arrow::RecordBatch& rows,
                                                       arrow::MemoryPool* pool);

}  // namespace lance
