#pragma once

#include <string_view>

#include "base/error.h"

namespace lance::query {

/// That a cell is JSONB as writers make it, of values that JSON has: every length, type and number
/// fits, strings are UTF-8, the keys of objects ascend, and no byte is left over. Readers take more
/// than that. A user error that names the byte otherwise. Linear in the bytes.
Status CheckJsonb(std::string_view cell);

}  // namespace lance::query
