#pragma once

#include "encoding/write/page_layouts.h"

namespace lance::encoding {

// Where the structure of a page of file version 2.3 goes: into levels among the values, or apart
// (spec/encodings.md §7.4).

/// Whether fewer than half of the leaf slots are valid: wide values are stored of those only where
/// the structure stands apart.
bool FewLeavesAreValid(const ShreddedRows& rows);

/// Whether a page with more lists without items than a chunk has room for takes less apart.
Result<bool> ListsAreSmallerApart(const PageContext& context, const LeafPath& path);

}  // namespace lance::encoding
