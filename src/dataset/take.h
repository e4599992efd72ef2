#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "arrow/type_fwd.h"
#include "dataset/snapshot.h"

namespace lance {

/// Rows by position among the live rows of the version, in the given order, duplicates kept. A
/// position beyond the end is a user error, before anything is read.
Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(const Snapshot& snapshot,
                                                     std::span<const uint64_t> positions,
                                                     const ColumnRequest& request,
                                                     RowForm form = RowForm::kStored);
/// The same with columns computed by SQL expressions, each with its name, as callers get them.
Result<std::shared_ptr<arrow::RecordBatch>> TakeComputedRows(
    const Snapshot& snapshot, std::span<const uint64_t> positions,
    const std::vector<std::pair<std::string, std::string>>& expressions,
    const OutputEncodings& output_encodings = {});
/// The same within one fragment.
Result<std::shared_ptr<arrow::RecordBatch>> TakeRowsOfFragment(const Snapshot& snapshot,
                                                               uint64_t fragment_id,
                                                               std::span<const uint64_t> positions,
                                                               const ColumnRequest& request,
                                                               RowForm form = RowForm::kStored);

}  // namespace lance
