#pragma once

#include "base/error.h"
#include "encoding/write/encoded_page.h"
#include "encoding/write/page_layouts.h"

namespace lance::encoding {

// Pages of file version 2.3 (spec/encodings.md §7), in two planes: structure and values.

/// A page as 2.3 describes it, whose structure is in levels among the values. Constant layouts
/// can't be described so, unless they are of nulls without any other structure.
encodings23::PlanarLayout DensePlanarLayout(const encodings21::PageLayout& layout);

/// A page without values: no leaf is valid.
Result<EncodedPage> EncodeStructurePage(const PageContext& context, const LeafPath& path);

/// A page whose valid leaves all equal that of `slot`, of at most kMaxInlineBytes.
Result<EncodedPage> EncodeScalarPage(const PageContext& context, const LeafPath& path,
                                     const FixedBlock& block, uint64_t slot);

/// The rows with all their leaf slots, or with the valid ones only, but without structure: what a
/// page stores whose structure is apart.
ShreddedRows LeafSlots(const ShreddedRows& rows);
ShreddedRows ValidLeafSlots(const ShreddedRows& rows);

/// Puts the structure of `rows` beside a page of their leaf slots.
Status AddStructure(const PageContext& context, const LeafPath& path, EncodedPage* page);

}  // namespace lance::encoding
