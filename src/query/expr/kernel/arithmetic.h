#pragma once

#include <string_view>

#include "arrow/type_fwd.h"
#include "query/expr/kernel/operand.h"

namespace lance::query {

/// `+ - * / % << >>` on two operands of the same type (an integer, float or double, or what is
/// stored as an integer: dates, timestamps, durations). A result that doesn't fit and a division of
/// integers by zero are errors. Null if the type has no such operation.
Kernel ArithmeticKernel(std::string_view op, const arrow::DataType& type);
/// The same for decimals: the operands are both decimal128 or both decimal256, of any precision and
/// scale; the result has the type that DecimalResult gives.
Kernel DecimalKernel(std::string_view op, const arrow::DataType& type);
/// -x
Kernel NegationKernel(const arrow::DataType& type);

}  // namespace lance::query
