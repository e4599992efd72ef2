#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "arrow/type_fwd.h"
#include "query/expr/expr.h"
#include "query/expr/source.h"
#include "query/expr/syntax.h"

namespace lance::query {

/// Resolves names against the columns of a schema and gives every node a type. Literals that meet a
/// column take its type; what doesn't depend on rows is computed; NOT moves inwards. Errors point
/// into the source.
Result<ExprPtr> Bind(const Source& source, const Syntax& syntax, const arrow::Schema& schema);

/// Parses and binds an expression of any type.
Result<ExprPtr> BindSql(std::string_view sql, const arrow::Schema& schema);
/// The same for a condition on rows: the result is boolean.
Result<ExprPtr> BindSqlFilter(std::string_view sql, const arrow::Schema& schema);

/// The same for what a front end has read already.
Result<ExprPtr> BindFilter(const Source& source, const Syntax& syntax, const arrow::Schema& schema);

/// Makes a condition of a bound expression, or refuses: what regexp_match returns counts as true if
/// it is not null.
Result<ExprPtr> AsFilter(const Source& source, ExprPtr expr);

}  // namespace lance::query
