#pragma once

#include <string_view>

#include "base/error.h"

namespace lance {

/// The name by which the main branch may be asked for; it has no reference file.
constexpr std::string_view kMainBranch = "main";

/// Letters, digits and `. - _`; not empty, no dot at either end, no `..`, not ending in `.lock`.
Status CheckTagName(std::string_view name);
/// Segments of such characters between single slashes, no `..`, not ending in `.lock`, not `main`.
Status CheckBranchName(std::string_view name);

}  // namespace lance
