#pragma once

#include <memory>
#include <vector>

#include "encoding/read/page_reader.h"

namespace lance::encoding::v1 {

// Strings and binaries of version 0.1 (spec/file-format.md §10.5): (rows + 1) × i64 offsets into
// the file; value i lies between offsets i and i + 1, before the page. There is no validity: in a
// nullable column every empty value is read as null. Reading takes two rounds.
class BinaryPage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const LeafShape& shape, PageBuffer offsets,
                                                  uint64_t num_rows, bool empty_is_null);

  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class BinaryCursor;
  BinaryPage(const LeafShape& shape, PageBuffer offsets, uint64_t num_rows, bool empty_is_null)
      : PageReader(shape, {offsets}, num_rows), empty_is_null_(empty_is_null) {}

  bool empty_is_null_;
};

}  // namespace lance::encoding::v1
