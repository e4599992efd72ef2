#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "dataset/candidates.h"
#include "dataset/morsel_planner.h"
#include "dataset/read_plan.h"
#include "dataset/row_mask.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"
#include "query/index/index_plan.h"

namespace lance {

/// What the steps of a scan have done.
struct ScanMetrics {
  StepMetrics search;
  ReadMetrics narrowed;
  ReadMetrics whole;

  void Add(const ScanMetrics& other) {
    search.Add(other.search);
    narrowed.Add(other.narrowed);
    whole.Add(other.whole);
  }
};

/// How a scan gets from morsels to batches: which rows indexes may find, and how the others are
/// tested. Immutable.
class ScanPlan {
 public:
  /// Row addresses count as an index; `indexes` are others.
  static Result<std::shared_ptr<const ScanPlan>> Make(const Snapshot& snapshot,
                                                      const ScanOptions& options,
                                                      std::span<const query::IndexPtr> indexes = {},
                                                      RowForm form = RowForm::kStored);

  const std::shared_ptr<arrow::Schema>& output_schema() const { return whole_->output_schema(); }
  const std::shared_ptr<const ColumnSelection>& first_selection() const {
    return whole_->first_selection();
  }
  /// Not all rows are returned.
  bool is_filtered() const { return filter_ != nullptr || mask_ != nullptr || is_empty_; }
  /// Positions of morsels are those among all stored rows.
  bool reads_deleted() const { return reads_deleted_; }
  bool reads_kept_rows() const { return whole_->reads_kept_rows(); }
  /// No row can be returned.
  bool is_empty() const { return is_empty_; }

  /// Asks the indexes, and the lists of rows, about some fragments; null if there are none to ask.
  Result<std::shared_ptr<const Candidates>> Search(const Context& context, const Snapshot& snapshot,
                                                   const std::vector<size_t>& fragments,
                                                   ScanMetrics* metrics) const;
  /// The rows of a morsel that the filter keeps, at most the first `most_rows` of them.
  Result<std::shared_ptr<arrow::RecordBatch>> Read(const Context& context, const Snapshot& snapshot,
                                                   const Candidates* candidates,
                                                   const Morsel& morsel, uint64_t most_rows,
                                                   ScanMetrics* metrics) const;

  /// The steps, the last one first, for a scan of some fragments; of one that is done, with what
  /// it found and did.
  PlanNode Describe(const Snapshot& snapshot, const std::vector<size_t>& fragments,
                    const Candidates* candidates, const ScanMetrics* metrics) const;

 private:
  ScanPlan() = default;

  PlanNode DescribeReads(const Snapshot& snapshot, const std::vector<size_t>& fragments,
                         const Candidates* candidates, const ScanMetrics* metrics) const;

  query::ExprPtr filter_;                // null: all rows
  std::shared_ptr<const RowMask> mask_;  // null: all rows
  bool reads_deleted_ = false;
  bool is_empty_ = false;
  std::shared_ptr<const ReadPlan> whole_;
  std::shared_ptr<const query::IndexSearch> search_;
  bool search_is_exact_ = false;
  /// For rows that an exact answer leaves; null without search_.
  std::shared_ptr<const ReadPlan> narrowed_;
};

/// SQL that means the same as ScanOptions::substrait_filter.
Result<std::string> SubstraitToSql(const Snapshot& snapshot, const std::string& substrait_filter);

}  // namespace lance
