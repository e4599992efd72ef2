#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance::query {

/// Literals are arrays of one value, so that everything that computes on columns also computes on
/// them.
using LiteralValue = std::shared_ptr<arrow::Array>;

/// Digits: int64, or uint64 if that is too small, else double. With a point or exponent: double.
Result<LiteralValue> NumberLiteral(std::string_view text);
LiteralValue StringLiteral(std::string_view text);
/// Pairs of hexadecimal digits; null if the text is something else.
LiteralValue LargeBinaryLiteral(std::string_view bytes);
LiteralValue HexLiteral(std::string_view digits);
LiteralValue BooleanLiteral(bool value);
LiteralValue Int64Literal(int64_t value);
LiteralValue NullLiteral();
/// A value of a fixed-width type of 8 bytes.
LiteralValue FixedWidthLiteral(const std::shared_ptr<arrow::DataType>& type, int64_t value);

}  // namespace lance::query
