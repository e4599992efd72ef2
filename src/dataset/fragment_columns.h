#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "arrow/type_fwd.h"
#include "dataset/snapshot.h"

namespace lance {

/// A fragment that has got more columns, and the schema of the table with them; nothing is
/// committed, and the files stay.
struct WidenedFragment {
  table::DataFragment fragment;
  Schema schema;
};

/// `values`: one for each live row of the fragment, in order.
Result<WidenedFragment> AddFragmentColumns(const Snapshot& snapshot, uint64_t fragment_id,
                                           const std::shared_ptr<arrow::RecordBatchReader>& values);
/// The columns of `right` for the rows whose `left_on` equals its `right_on`.
Result<WidenedFragment> MergeFragmentColumns(const std::shared_ptr<const Snapshot>& snapshot,
                                             uint64_t fragment_id,
                                             const std::shared_ptr<arrow::RecordBatchReader>& right,
                                             const std::string& left_on,
                                             const std::string& right_on);

}  // namespace lance
