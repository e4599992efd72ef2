#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/type_fwd.h"
#include "dataset/snapshot.h"
#include "query/expr/expr.h"
#include "table/row_address_set.h"

namespace lance {

/// A condition on the rows of a table, ready to be evaluated on batches of the columns it needs.
struct RowFilter {
  query::ExprPtr expr;
  /// Top-level columns, in the order that `expr` was bound to.
  std::vector<std::string> columns;
};
/// Errors of the SQL point into it.
Result<RowFilter> BindRowFilter(const Snapshot& snapshot, std::string_view sql);

/// The addresses of the live rows for which the condition is true.
Result<std::shared_ptr<RowAddressSet>> SelectRows(std::shared_ptr<const Snapshot> snapshot,
                                                  const RowFilter& filter);

/// Top-level columns of the schema that an expression uses, in the schema's order.
std::vector<std::string> ColumnsUsed(const query::Expr& expr, const arrow::Schema& schema);

}  // namespace lance
