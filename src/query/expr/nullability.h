#pragma once

#include "arrow/type_fwd.h"
#include "query/expr/expr.h"

namespace lance::query {

/// Whether a value of the expression may be null, as far as its form and the nullability of the
/// columns of its schema tell. What follows from neither may be.
bool MayBeNull(const Expr& expr, const arrow::Schema& schema);

}  // namespace lance::query
