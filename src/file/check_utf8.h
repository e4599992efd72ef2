#pragma once

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// Strings and large strings that are not valid UTF-8 are Corrupt; arrays of other types are not
/// looked at.
Status CheckUtf8(const arrow::ArrayData& array);

}  // namespace lance
