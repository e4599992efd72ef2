#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// Rows in order, in batches of options.batch_size. Morsels are decoded ahead on pool threads
/// within a bound of bytes; destroying the reader stops and joins them.
Result<std::shared_ptr<arrow::RecordBatchReader>> ScanBatches(
    std::shared_ptr<const Snapshot> snapshot, const ScanOptions& options);
/// The same rows, each morsel one chunk.
Result<std::shared_ptr<arrow::Table>> ScanTable(std::shared_ptr<const Snapshot> snapshot,
                                                const ScanOptions& options);
/// How many they are.
Result<uint64_t> CountScan(std::shared_ptr<const Snapshot> snapshot, const ScanOptions& options);

}  // namespace lance
