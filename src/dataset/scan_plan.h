#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "dataset/morsel_planner.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"
#include "query/expr/expr.h"

namespace lance {

/// How a scan gets from morsels to batches: the columns of the filter are read first, the others
/// only of the rows that it keeps; then the result's columns are picked or computed. Immutable.
class ScanPlan {
 public:
  static Result<std::shared_ptr<const ScanPlan>> Make(const Snapshot& snapshot,
                                                      const ScanOptions& options);

  const std::shared_ptr<arrow::Schema>& output_schema() const { return output_schema_; }
  /// The columns that are read of every row.
  const std::shared_ptr<const ColumnSelection>& first_selection() const {
    return filter_ != nullptr ? filter_selection_ : selection_;
  }
  /// Not all rows are returned.
  bool is_filtered() const { return filter_ != nullptr || is_empty_; }
  /// No row can be returned.
  bool is_empty() const { return is_empty_; }

  /// The rows of a morsel that the filter keeps, at most the first `most_rows` of them.
  Result<std::shared_ptr<arrow::RecordBatch>> Read(const Context& context, const Snapshot& snapshot,
                                                   const Morsel& morsel, uint64_t most_rows) const;

 private:
  struct Builder;

  ScanPlan() = default;

  Result<std::shared_ptr<arrow::RecordBatch>> ReadKept(const Context& context,
                                                       const Snapshot& snapshot,
                                                       const Morsel& morsel,
                                                       std::vector<RowRange> rows,
                                                       uint64_t most_rows) const;
  Result<std::shared_ptr<arrow::RecordBatch>> MakeOutput(const Context& context,
                                                         const arrow::RecordBatch& source) const;

  query::ExprPtr filter_;  // null: all rows
  std::shared_ptr<const ColumnSelection> filter_selection_;
  bool is_empty_ = false;

  /// What is read of the rows that are kept.
  std::shared_ptr<const ColumnSelection> selection_;
  /// Columns of the filter that need not be read again: they come before those of `selection_`
  /// in the source of the output.
  std::vector<int> reused_;
  std::shared_ptr<arrow::Schema> source_schema_;

  /// The output's columns: of the source, or expressions over it.
  std::vector<int> picked_;
  std::vector<query::ExprPtr> computed_;
  bool output_is_source_ = false;
  std::shared_ptr<arrow::Schema> output_schema_;
};

/// SQL that means the same as ScanOptions::substrait_filter.
Result<std::string> SubstraitToSql(const Snapshot& snapshot, const std::string& substrait_filter);

}  // namespace lance
