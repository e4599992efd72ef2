#pragma once

#include <vector>

#include "query/expr/expr.h"
#include "query/expr/kernel/compare.h"

namespace lance::query {

// Boolean expressions, simplified as they are made. The arguments are bound and have fitting types.

/// Nested ANDs become one; without operands it is TRUE.
ExprPtr MakeAnd(const std::vector<ExprPtr>& args, SourceSpan at);
ExprPtr MakeOr(const std::vector<ExprPtr>& args, SourceSpan at);
/// Moves inwards where the operand has a negation of its own.
ExprPtr MakeNot(ExprPtr arg, SourceSpan at);
/// Null if values of this type can't be compared so. A literal goes to the right.
ExprPtr MakeComparison(Comparison comparison, ExprPtr left, ExprPtr right, SourceSpan at);
ExprPtr MakeIsNull(ExprPtr arg, bool negated, SourceSpan at);
/// IS [NOT] TRUE, IS [NOT] FALSE
ExprPtr MakeIsBoolean(ExprPtr arg, bool wanted, bool negated, SourceSpan at);

/// The value of an expression without columns, as a literal; the expression itself if it has
/// columns or computing it fails.
ExprPtr Fold(ExprPtr expr);

}  // namespace lance::query
