#pragma once

#include <vector>

#include "encoding/row_range.h"
#include "encoding/write/shredder.h"

namespace lance::encoding {

/// Rows of lists in parts: long stretches without any value, and what is between them. One width
/// or codec for the levels of a page costs such a stretch bits for each of its rows; in a page of
/// their own they are a few runs. Empty if one page is as good.
std::vector<RowRange> CutEmptyStretches(const ShreddedRows& rows);

}  // namespace lance::encoding
