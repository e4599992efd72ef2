#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lance::query {

/// Texts of which every match of a regular expression (RE2's syntax) has one in it, one for each of
/// its alternatives; none if they are not evident.
std::vector<std::string> RequiredLiterals(std::string_view pattern);

}  // namespace lance::query
