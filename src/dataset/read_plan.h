#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "dataset/snapshot.h"
#include "dataset/step_metrics.h"
#include "lance/dataset.h"
#include "query/expr/expr.h"

namespace lance {

/// All columns that an expression may use, as they are read.
Result<std::shared_ptr<arrow::Schema>> ExpressionSchema(
    const Snapshot& snapshot, BlobHandling blob_handling,
    const OutputEncodings& output_encodings = {});

/// Where rows are read from.
struct ReadTarget {
  const Context& context;
  const Snapshot& snapshot;
  size_t fragment = 0;  ///< index
};

struct ReadMetrics {
  StepMetrics first;
  StepMetrics filter;
  StepMetrics rest;
  StepMetrics output;

  void Add(const ReadMetrics& other) {
    first.Add(other.first);
    filter.Add(other.filter);
    rest.Add(other.rest);
    output.Add(other.output);
  }
};

PlanMetrics MetricsOf(const StepMetrics& metrics);
/// `[a, b]`
std::string ColumnsText(const arrow::Schema& schema);

/// How rows of a fragment become a batch of the result: the columns of the filter are read first,
/// the others only of the rows that it keeps; then the result's columns are picked or computed.
/// Immutable.
class ReadPlan {
 public:
  /// `filter` is bound to ExpressionSchema with descriptions of blobs; null keeps all rows.
  static Result<std::shared_ptr<const ReadPlan>> Make(const Snapshot& snapshot,
                                                      const ScanOptions& options,
                                                      const query::ExprPtr& filter,
                                                      RowForm form = RowForm::kStored);

  const std::shared_ptr<arrow::Schema>& output_schema() const { return output_schema_; }
  /// Columns are read of the rows that the filter keeps, and of no others.
  bool reads_kept_rows() const { return filter_ != nullptr && !selection_->outputs.empty(); }
  /// The columns that are read of every row.
  const std::shared_ptr<const ColumnSelection>& first_selection() const {
    return filter_ != nullptr ? filter_selection_ : selection_;
  }

  /// Those of some physical rows that the filter keeps, at most the first `most_rows` of them.
  Result<std::shared_ptr<arrow::RecordBatch>> Read(const ReadTarget& target,
                                                   std::vector<RowRange> rows, uint64_t most_rows,
                                                   ReadMetrics* metrics) const;

  /// The result of rows that have been read: columns of first_selection(), if there is no filter.
  Result<std::shared_ptr<arrow::RecordBatch>> MakeOutput(
      const Context& context, const std::shared_ptr<arrow::RecordBatch>& source,
      StepMetrics* metrics) const;
  /// The steps as a chain, the last one first, for some fragments; `metrics` may be null.
  PlanNode Describe(const Snapshot& snapshot, const std::vector<size_t>& fragments,
                    const ReadMetrics* metrics) const;

 private:
  struct Builder;

  ReadPlan() = default;

  Result<std::shared_ptr<arrow::RecordBatch>> ReadKept(const ReadTarget& target,
                                                       std::vector<RowRange> rows,
                                                       uint64_t most_rows,
                                                       ReadMetrics* metrics) const;
  /// Whether so many of the rows are kept that the rest is read of all of them, and then picked.
  bool ReadsAll(size_t kept, int64_t rows) const;
  Result<std::vector<int64_t>> KeptRows(const arrow::RecordBatch& tested, uint64_t most_rows,
                                        arrow::MemoryPool* pool, StepMetrics* metrics) const;
  static Result<std::shared_ptr<arrow::RecordBatch>> ReadColumns(
      const ReadTarget& target, const std::shared_ptr<const ColumnSelection>& selection,
      const std::vector<RowRange>& rows, StepMetrics* metrics);

  bool reads_deleted_ = false;
  query::ExprPtr filter_;  // null: all rows
  std::shared_ptr<const ColumnSelection> filter_selection_;

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
  /// Of what is made of them; null if that is the output.
  std::shared_ptr<const BatchFinisher> finisher_;
  std::shared_ptr<arrow::Schema> made_schema_;
  std::shared_ptr<arrow::Schema> output_schema_;
};

}  // namespace lance
