#pragma once

#include <memory>
#include <vector>

#include "encoding/read/page_reader.h"
#include "encoding/v20/end_offsets.h"

namespace lance::encodings {
class List;
}

namespace lance::encoding::v20 {

// The ends of lists (spec/file-format.md §9.10), counted within the items of this page, of which
// `first_item` is the first. Decodes to one ItemSpan a list, and validity.
class ListPage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const encodings::List& encoding,
                                                  const LeafShape& shape,
                                                  const BufferTable& buffers, uint64_t num_rows,
                                                  uint64_t first_item);

  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class ListCursor;
  ListPage(const LeafShape& shape, uint64_t num_rows, EndOffsets ends)
      : PageReader(shape, {}, num_rows), ends_(ends) {}

  EndOffsets ends_;
  uint64_t null_adjustment_ = 0;
  uint64_t num_items_ = 0;
  uint64_t first_item_ = 0;
};

}  // namespace lance::encoding::v20
