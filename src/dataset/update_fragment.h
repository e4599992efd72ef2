#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "arrow/type_fwd.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// Writes new values of columns of one fragment: in rows whose `left_on` (a column of the table, or
/// a virtual one) equals `right_on` of a row of `right`, those of that row. Of several rows with
/// one key the last one counts. The file is kept.
Result<UpdatedColumns> UpdateFragmentColumns(const std::shared_ptr<const Snapshot>& snapshot,
                                             uint64_t fragment_id,
                                             const std::shared_ptr<arrow::RecordBatchReader>& right,
                                             const std::string& left_on,
                                             const std::string& right_on);

}  // namespace lance
