#pragma once

#include <string_view>

#include "arrow/type_fwd.h"
#include "query/expr/syntax.h"

namespace lance::query {

/// Reads a condition in Substrait's form: a serialized ExtendedExpression with one expression, such
/// as pyarrow.compute.Expression.to_substrait makes. Columns are numbered as in `schema`.
Result<SyntaxPtr> ParseSubstrait(std::string_view bytes, const arrow::Schema& schema);

}  // namespace lance::query
