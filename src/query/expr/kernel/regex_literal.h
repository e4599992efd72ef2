#pragma once

#include <string>
#include <string_view>

namespace lance::query {

/// Text that every match of a regular expression (RE2's syntax) has in it; empty if none is
/// evident.
std::string RequiredLiteral(std::string_view pattern);

}  // namespace lance::query
