#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "dataset/scan_totals.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// What a scan in order does, in all and in its two parts.
struct OrderTotals {
  explicit OrderTotals(IoStats* all_reads)
      : all(std::make_shared<ScanTotals>(all_reads)),
        keys(std::make_shared<ScanTotals>(all)),
        rows(std::make_shared<ScanTotals>(all)) {}

  std::shared_ptr<ScanTotals> all;
  std::shared_ptr<ScanTotals> keys;
  std::shared_ptr<ScanTotals> rows;
};

/// A scan in the order of options.order_by. With a limit, only the keys are read of all rows, and
/// the best of them kept; without, the rows go to a temporary file if they are too many for memory.
/// Deleted rows have no address to be kept by.
Result<std::shared_ptr<arrow::RecordBatchReader>> ScanInOrder(
    const std::shared_ptr<const Snapshot>& snapshot, const ScanOptions& options,
    const OrderTotals* totals = nullptr);
/// How it gets the rows and how the keys: the inputs of the sort. `totals` may be null.
Result<std::vector<PlanNode>> StepsOfOrder(const Snapshot& snapshot, const ScanOptions& options,
                                           const OrderTotals* totals);

/// `a ASC NULLS LAST, b DESC NULLS FIRST`
std::string OrderText(const std::vector<SortKey>& order_by);

}  // namespace lance
