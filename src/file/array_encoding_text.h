#pragma once

#include <string_view>

#include "base/error.h"
#include "file/encoding_text.h"

namespace lance {

/// Describes a page of version 2.0 by its serialised ArrayEncoding. The layout is the outermost
/// kind inside of the nullability: `flat`, `binary`, `list` …
Result<PageText> DescribeArrayEncoding(std::string_view message);

}  // namespace lance
