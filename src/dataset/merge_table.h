#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// The columns of `right` as a left join gives them: for each live row (of these fragments) the
/// values of the row of `right` whose `right_on` equals its `left_on`, or nulls.
Result<std::shared_ptr<arrow::RecordBatchReader>> JoinedColumns(
    std::shared_ptr<const Snapshot> snapshot,
    const std::shared_ptr<arrow::RecordBatchReader>& right, const std::string& left_on,
    const std::string& right_on, std::optional<std::vector<uint64_t>> fragments, Poll poll);

/// Adds these columns to the table.
Result<std::shared_ptr<const Snapshot>> MergeTable(
    const std::shared_ptr<const Snapshot>& snapshot,
    const std::shared_ptr<arrow::RecordBatchReader>& right, const std::string& left_on,
    const std::string& right_on, const Poll& poll);

}  // namespace lance
