#pragma once

#include <string>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// Whether the offsets of an array's strings, lists and maps ascend, and its views lie within their
/// buffers, at all levels; what Array::Validate() leaves out. Arrays of other engines come through
/// interfaces that check nothing, and kernels trust them.
Status CheckOffsets(const arrow::ArrayData& data);

/// Array::Validate() and CheckOffsets() of each column; a user error that names it.
Status CheckSound(const arrow::RecordBatch& batch);
Status CheckSound(const std::string& name, const arrow::Array& column);

}  // namespace lance
