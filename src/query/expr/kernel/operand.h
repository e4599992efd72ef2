#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance::query {

/// An argument of a kernel: a value for each row, or one for all.
struct Operand {
  /// Of one value if it is constant. Never dictionary or extension arrays.
  std::shared_ptr<arrow::Array> array;
  bool is_constant = false;

  int64_t IndexOf(int64_t row) const { return is_constant ? 0 : row; }
};

struct CallContext {
  arrow::MemoryPool* pool = nullptr;
  /// The type of the result.
  const std::shared_ptr<arrow::DataType>& type;
};

/// Computes `rows` values. The arguments have the types that the function asked for when it was
/// bound.
using Kernel = Result<std::shared_ptr<arrow::Array>> (*)(const CallContext& context,
                                                         std::span<const Operand> args,
                                                         int64_t rows);

}  // namespace lance::query
