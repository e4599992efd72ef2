#pragma once

#include <memory>
#include <span>

#include "arrow/type_fwd.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"
#include "query/index/predicate_index.h"

namespace lance {

/// Rows in order, in batches of options.batch_size. Morsels are decoded ahead on pool threads
/// within a bound of bytes; destroying the reader stops and joins them. `indexes` may find the
/// rows. What doesn't fit into an array of its output encoding comes in smaller batches.
Result<std::shared_ptr<arrow::RecordBatchReader>> ScanBatches(
    std::shared_ptr<const Snapshot> snapshot, const ScanOptions& options,
    std::span<const query::IndexPtr> indexes = {}, RowForm form = RowForm::kStored);
/// The same rows, each morsel one chunk.
Result<std::shared_ptr<arrow::Table>> ScanTable(std::shared_ptr<const Snapshot> snapshot,
                                                const ScanOptions& options,
                                                RowForm form = RowForm::kStored);
/// How many they are.
Result<uint64_t> CountScan(std::shared_ptr<const Snapshot> snapshot, const ScanOptions& options);
/// The steps that they take; with what each did.
Result<PlanNode> ExplainScan(const Snapshot& snapshot, const ScanOptions& options,
                             std::span<const query::IndexPtr> indexes = {});
Result<PlanNode> AnalyzeScan(const std::shared_ptr<const Snapshot>& snapshot,
                             const ScanOptions& options,
                             std::span<const query::IndexPtr> indexes = {});

}  // namespace lance
