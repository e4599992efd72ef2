#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "query/expr/kernel/operand.h"

namespace lance::query {

/// What happens to a value that the target type can't hold.
enum class CastMode : uint8_t {
  kStrict,  ///< the cast is an error
  kTry,     ///< it becomes null
};

/// Whether values of one type can be cast to another at all.
bool CanCast(const arrow::DataType& from, const arrow::DataType& to);

/// Casts all values. Numbers lose their fraction when cast to integers, but not their size; text is
/// read and written as in value_text.h; timestamps lose what their unit can't hold.
Result<std::shared_ptr<arrow::Array>> CastArray(arrow::MemoryPool* pool,
                                                const std::shared_ptr<arrow::Array>& array,
                                                const std::shared_ptr<arrow::DataType>& to,
                                                CastMode mode);

/// CAST and TRY_CAST of one argument to the type of the result.
Kernel CastKernel(CastMode mode);

/// Local time of a timestamp with a zone, as a timestamp without; other arrays as they are.
Result<std::shared_ptr<arrow::Array>> ToLocalTime(arrow::MemoryPool* pool,
                                                  const std::shared_ptr<arrow::Array>& array);

}  // namespace lance::query
