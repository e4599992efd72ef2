#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "query/expr/kernel/reading.h"

namespace lance::query {

/// text.find(needle) in linear time.
size_t FindText(std::string_view text, std::string_view needle);

/// The rows whose text has `needle`, which is not empty, ascending. The whole column is searched as
/// one text, so that rows without it cost hardly more than their bytes. Not for constant operands.
std::vector<int64_t> RowsContaining(const BytesValues& texts, int64_t rows,
                                    std::string_view needle);

}  // namespace lance::query
