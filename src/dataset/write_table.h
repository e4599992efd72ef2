#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "dataset/open_table.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"
#include "table/transaction.h"

namespace lance {

/// Writes all batches and commits them as one version. `read` is the version that an overwrite was
/// made from: other overwrites since then are conflicts. Null stands for the newest one.
Result<std::shared_ptr<const Snapshot>> WriteTable(
    const TableHandle& handle, std::shared_ptr<const Snapshot> read,
    const std::shared_ptr<arrow::RecordBatchReader>& data, const WriteOptions& options);

/// Writes all batches into files that no version uses yet: the transaction that would add them.
Result<Transaction> WriteUncommitted(const TableHandle& handle,
                                     const std::shared_ptr<arrow::RecordBatchReader>& data,
                                     const WriteOptions& options);

}  // namespace lance
