#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace lance::query {

/// Appends the JSONB of a JSON text to `out`: keys sorted, numbers in their shortest form, byte for
/// byte as the reference stores it. The grammar is wider than RFC 8259 (spec/jsonb.md §4): single
/// quotes, bare keys, hexadecimal numbers, empty places in arrays, text without a value for null.
/// Text that is no JSON, is nested deeper than 1,000 levels or is too large is a user error that
/// names the position, and leaves `out` as it was.
Status AppendJsonb(std::string_view text, std::string* out);
/// The same of a text that must be JSON by RFC 8259, of which nothing is lost but spaces, the order
/// of keys, and digits that no double has: numbers beyond all doubles, and escapes that are half a
/// character, are refused too.
Status AppendStrictJsonb(std::string_view text, std::string* out);

}  // namespace lance::query
