#pragma once

#include "query/expr/expr.h"
#include "query/expr/kernel/compare.h"

namespace lance::query {

/// date_part('year', x) compared with a whole number, as bounds of x, which are cheaper to compare
/// and can be used by indexes. Null for other expressions, and where a bound is no timestamp of
/// the type of x.
ExprPtr CompareYears(Comparison comparison, const ExprPtr& left, const ExprPtr& right,
                     SourceSpan at);

}  // namespace lance::query
