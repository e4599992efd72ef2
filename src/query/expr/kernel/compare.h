#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "arrow/type_fwd.h"
#include "query/expr/kernel/operand.h"

namespace lance::query {

enum class Comparison : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kDistinct,  ///< never null: null is not distinct from null
  kNotDistinct,
};

/// `=`, `<>` … `is distinct from`
std::string_view ComparisonName(Comparison comparison);
/// The one that holds for (b, a) where this one holds for (a, b).
Comparison Swapped(Comparison comparison);
/// The one that holds where this one does not.
Comparison Negated(Comparison comparison);

/// Compares two operands of the same type; timestamps and durations may have two units. Floats have
/// a total order: -0 equals 0, NaN equals NaN and is above all numbers. Text is compared by its
/// bytes. Null if values of the type have no such comparison: lists and structs have no order.
Kernel ComparisonKernel(Comparison comparison, const arrow::DataType& type);

/// Compares two values of arrays of the same type that has an order: below 0, 0 or above.
int CompareValues(const Operand& left, const Operand& right, int64_t row);

}  // namespace lance::query
