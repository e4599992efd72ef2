#pragma once

#include "encoding/write/page_layouts.h"

namespace lance::encoding {

/// Where the structure of a page goes: into levels among the values, or (2.3) apart from them
/// (spec/encodings.md §7.4).
enum class StructurePlace : uint8_t { kLevels, kApart, kSmaller };

/// What is best for a page whose values are stored one by one (`wide`), in chunks, or as the keys
/// of a column of a dictionary type (`keys`). Levels are quicker to read, so the choice by size is
/// only for pages of which whole parts have no values.
StructurePlace PlaceOf(const PageContext& context, bool wide, bool keys);

/// The smaller of two pages of the same rows.
EncodedPage SmallerPage(EncodedPage levels, EncodedPage apart);

}  // namespace lance::encoding
