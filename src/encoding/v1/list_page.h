#pragma once

#include <memory>
#include <vector>

#include "encoding/read/page_reader.h"

namespace lance::encoding::v1 {

// Lists of version 0.1 (spec/file-format.md §10.5): (rows + 1) offsets of 32 or 64 bits into the
// items of the same batch, of which `first_item` is the first. There are no null lists.
class ListPage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const LeafShape& shape, PageBuffer offsets,
                                                  uint64_t num_rows, bool large_offsets,
                                                  uint64_t first_item, uint64_t num_items);

  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class ListCursor;
  ListPage(const LeafShape& shape, PageBuffer offsets, uint64_t num_rows)
      : PageReader(shape, {offsets}, num_rows) {}

  uint64_t offset_bytes() const { return large_offsets_ ? sizeof(int64_t) : sizeof(int32_t); }

  bool large_offsets_ = false;
  uint64_t first_item_ = 0;
  uint64_t num_items_ = 0;
};

}  // namespace lance::encoding::v1
