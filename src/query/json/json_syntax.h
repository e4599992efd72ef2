#pragma once

#include <string_view>

#include "base/error.h"

namespace lance::query {

/// That a text is JSON by the grammar of RFC 8259, and not nested deeper than 1,000 levels. A user
/// error that names the position otherwise. Says nothing of equal keys, the range of numbers and
/// whether the text is UTF-8. Linear; does not recurse.
Status CheckJsonSyntax(std::string_view text);

}  // namespace lance::query
