#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataset/match_rows.h"
#include "dataset/snapshot.h"
#include "dataset/source_rows.h"
#include "query/expr/expr.h"

namespace lance {

/// A condition in SQL on a row of the table and the row of the source that has its key; their
/// columns are `target.x` and `source.x`.
class MatchCondition {
 public:
  static Result<MatchCondition> Bind(const std::string& sql, const Snapshot& snapshot,
                                     const arrow::Schema& source);

  /// The pairs for which it is true, in their order. Only the columns that it names are read, of
  /// these rows.
  Result<std::vector<RowMatch>> Filter(const Snapshot& snapshot, const SourceRows& source,
                                       const std::vector<RowMatch>& pairs, const Poll& poll) const;

 private:
  MatchCondition() = default;

  query::ExprPtr expr_;  // over the two structs of just these columns
  std::vector<std::string> target_columns_;
  std::vector<int> source_columns_;
};

}  // namespace lance
