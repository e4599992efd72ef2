#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "arrow/type_fwd.h"
#include "query/expr/literal.h"

namespace lance::query {

using TypePtr = std::shared_ptr<arrow::DataType>;

bool IsString(const arrow::DataType& type);
bool IsNumeric(const arrow::DataType& type);
bool IsList(const arrow::DataType& type);
/// Dates, times, timestamps and durations.
bool IsTemporal(const arrow::DataType& type);

/// The type in which values of both can be compared, or null. Text meets numbers and dates as such:
/// it is read.
TypePtr CommonType(const TypePtr& a, const TypePtr& b);
/// The type that all branches of CASE, COALESCE … are cast to, or null.
TypePtr CommonType(std::span<const TypePtr> types);
/// What an operand of type `own` is cast to before it is compared as `common`: timestamps and
/// durations keep their unit, as not all of them fit into a finer one.
TypePtr ComparedType(const TypePtr& own, const TypePtr& common);

struct ArithmeticTypes {
  TypePtr left;  ///< what the operands are cast to
  TypePtr right;
  TypePtr result;
};
/// For + - * / % and shifts; nullopt if there is no such operation.
std::optional<ArithmeticTypes> TypesOfArithmetic(std::string_view op, const TypePtr& left,
                                                 const TypePtr& right);

enum class LiteralFit : uint8_t {
  kFits,       ///< coerced without loss
  kRefused,    ///< a value of the same kind of type that the column can't hold: an error
  kOtherKind,  ///< the types meet by CommonType, if at all
};
struct CoercedLiteral {
  LiteralFit fit = LiteralFit::kOtherKind;
  LiteralValue value;
};
/// A literal that meets a column takes the column's type, if that loses nothing. With
/// `rounds_floats`, digits that a float has no room for don't count.
Result<CoercedLiteral> CoerceLiteral(const LiteralValue& literal, const TypePtr& column,
                                     bool rounds_floats);

}  // namespace lance::query
