#pragma once

#include "query/expr/kernel/operand.h"

namespace lance::query {

/// Texts, read by the first of the formats behind them that fits, as dates, times or timestamps. A
/// format that is null is left out; a last `%Z` may be the name of a zone.
Result<std::shared_ptr<arrow::Array>> ReadByFormats(const CallContext& context,
                                                    std::span<const Operand> args, int64_t rows);

}  // namespace lance::query
