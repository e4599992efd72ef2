#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace lance::query {

/// A regular expression of the reference's dialect, written in that of RE2. Classes such as `\w`
/// are those of Unicode.
struct RegexPattern {
  std::string text;
  /// Names of its groups, from the first; empty for those without. In `text` all have names.
  std::vector<std::string> groups;
  /// It has a `\B`, which RE2 also finds between the bytes of one character.
  bool has_inner_boundary = false;
};

/// `flags` are some of `i`, `m`, `s`, `U`, `x`, `u`. What RE2 can't express is an error.
Result<RegexPattern> TranslateRegex(std::string_view pattern, std::string_view flags);

/// A replacement text (`$1`, `${name}`, `$$`, `\1`) in the form of RE2. Its groups come after
/// `groups_before` others. Groups that don't exist are empty.
Result<std::string> TranslateReplacement(std::string_view replacement, const RegexPattern& pattern,
                                         size_t groups_before);

}  // namespace lance::query
