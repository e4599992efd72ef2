#pragma once

#include <memory>

#include "arrow/type_fwd.h"

namespace lance {

/// Takes nulls out of the dictionaries in an array, however deep: rows with a null item are null
/// themselves, as files of 2.0 hold them. Arrow can't put arrays with null items together.
std::shared_ptr<arrow::ArrayData> WithoutNullItems(const std::shared_ptr<arrow::ArrayData>& data);
std::shared_ptr<arrow::RecordBatch> WithoutNullItems(const arrow::RecordBatch& batch);

}  // namespace lance
