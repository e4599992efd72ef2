#pragma once

#include <memory>
#include <string_view>

#include "encoding/read/page_reader.h"
#include "encoding/v20/buffer_table.h"

namespace lance::encodings {
class ArrayEncoding;
}

namespace lance::encoding::v20 {

/// Checks the description of a page of version 2.0 against the column and makes its reader. `shape`
/// has one layer, its own, and must outlive the page. Pages of lists are made by ListPage::Make().
Result<std::unique_ptr<PageReader>> MakePage(const encodings::ArrayEncoding& encoding,
                                             const LeafShape& shape, const BufferTable& buffers,
                                             uint64_t num_rows);

/// The same for pages of a column that is described as one of blobs.
Result<std::unique_ptr<PageReader>> MakeBlobPage(const encodings::ArrayEncoding& encoding,
                                                 const LeafShape& shape, const BufferTable& buffers,
                                                 uint64_t num_rows);

}  // namespace lance::encoding::v20
