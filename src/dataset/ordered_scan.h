#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// A scan in the order of options.order_by. With a limit, only the keys are read of all rows, and
/// the best of them kept; without, the rows go to a temporary file if they are too many for memory.
Result<std::shared_ptr<arrow::RecordBatchReader>> ScanInOrder(
    const std::shared_ptr<const Snapshot>& snapshot, const ScanOptions& options);

/// `a ASC NULLS LAST, b DESC NULLS FIRST`
std::string OrderText(const std::vector<SortKey>& order_by);

}  // namespace lance
