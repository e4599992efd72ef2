#pragma once

#include <string_view>

#include "query/expr/source.h"
#include "query/expr/syntax.h"

namespace lance::query {

/// Reads an SQL expression: the filter dialect of the reference, and some more
/// (docs/expressions.md). Time is linear in the length of the text, the stack bounded by kMaxDepth.
Result<SyntaxPtr> ParseSql(const Source& source);

/// Whether a column of this name may need back-ticks.
bool IsReservedWord(std::string_view name);

}  // namespace lance::query
