#pragma once

#include <memory>
#include <span>

#include "arrow/type_fwd.h"
#include "dataset/scan_totals.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"
#include "query/index/predicate_index.h"

namespace lance {

/// Rows in order, in batches of options.batch_size. Morsels are decoded ahead on pool threads
/// within a bound of bytes; destroying the reader stops and joins them. `indexes` may find the
/// rows. What doesn't fit into an array of its output encoding comes in smaller batches. `totals`,
/// which may be null, get what it does.
Result<std::shared_ptr<arrow::RecordBatchReader>> ScanBatches(
    std::shared_ptr<const Snapshot> snapshot, const ScanOptions& options,
    std::span<const query::IndexPtr> indexes = {}, RowForm form = RowForm::kStored,
    std::shared_ptr<ScanTotals> totals = {});
/// The same rows, each morsel one chunk.
Result<std::shared_ptr<arrow::Table>> ScanTable(std::shared_ptr<const Snapshot> snapshot,
                                                const ScanOptions& options,
                                                RowForm form = RowForm::kStored,
                                                std::shared_ptr<ScanTotals> totals = {});
/// How many they are.
Result<uint64_t> CountScan(std::shared_ptr<const Snapshot> snapshot, const ScanOptions& options);
/// The steps of a scan in no special order; `metrics`, of a scan that is done, may be null.
Result<PlanNode> DescribeSteps(const Snapshot& snapshot, const ScanOptions& options,
                               const ScanMetrics* metrics);
/// The steps that they take; with what each did, for a scan whose batches `sink` gets, if there is
/// one.
Result<PlanNode> ExplainScan(const Snapshot& snapshot, const ScanOptions& options,
                             std::span<const query::IndexPtr> indexes = {});
Result<PlanNode> AnalyzeScan(const std::shared_ptr<const Snapshot>& snapshot,
                             const ScanOptions& options,
                             std::span<const query::IndexPtr> indexes = {},
                             const BatchSink& sink = {});

}  // namespace lance
