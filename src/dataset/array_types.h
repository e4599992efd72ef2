#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// A batch without rows; there may be extension types in it.
Result<std::shared_ptr<arrow::RecordBatch>> EmptyBatch(const std::shared_ptr<arrow::Schema>& schema,
                                                       arrow::MemoryPool* pool);

/// The same memory under another type of the same layout: other names and metadata of fields,
/// extension types or their storage.
std::shared_ptr<arrow::Array> Retyped(const std::shared_ptr<arrow::Array>& array,
                                      const std::shared_ptr<arrow::DataType>& type);

/// Whether two types have the same layout: names, nullability, metadata and extensions don't count.
bool SameLayout(const arrow::DataType& a, const arrow::DataType& b);

}  // namespace lance
