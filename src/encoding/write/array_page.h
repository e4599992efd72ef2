#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/encoded_page.h"
#include "encoding/write/leaf_path.h"

namespace lance::encoding {

// Pages of file version 2.0 (spec/file-format.md §9): trees of array encodings. A column has rows
// of its own: that of a list says where the lists end, that of the items has the items of all of
// them, so that the pages of the two don't run in step.

/// Encodes the slots that rows of a column have. `arrays` are of the top-level field, of storage
/// types, with nulls only where 2.0 has a place for them. Usually one page, which has no rows where
/// all lists are empty; more where the dictionaries of the arrays don't fit into one.
Result<std::vector<EncodedPage>> EncodeArrayPages(
    const LeafPath& path, std::span<const std::shared_ptr<arrow::ArrayData>> arrays,
    arrow::MemoryPool* pool);

/// The page of a struct, which says no more than how many there are.
EncodedPage StructHeaderPage(uint64_t count);

}  // namespace lance::encoding
