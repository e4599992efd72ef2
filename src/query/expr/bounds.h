#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "query/expr/expr.h"

namespace lance::query {

/// One end of a range of values: an array of one value of the column's type, or null if open.
struct Bound {
  LiteralValue value;
  bool is_inclusive = true;
};

/// What a condition demands of one column. Where it is true, the column's value is within.
struct ColumnBounds {
  Bound lower;
  Bound upper;
  /// The condition is only true where the column is null.
  bool must_be_null = false;
  /// The condition is never true where the column is null.
  bool rejects_null = false;
};

/// Bounds by column that follow from the comparisons with literals, IN lists and tests for null
/// among the operands of a top-level AND: what pages, zones and indexes are pruned by. Columns
/// without any are left out. NaN is above all numbers, as in comparisons.
std::map<ColumnPath, ColumnBounds> BoundsOf(const ExprPtr& filter);

/// False if its bounds show that a condition is true for no row: `i > 5 AND i < 3`.
bool MayBeTrue(const ExprPtr& filter);

}  // namespace lance::query
