#pragma once

#include <memory>
#include <vector>

#include "encoding/read/page_reader.h"
#include "encoding/v20/fixed_source.h"

namespace lance::encodings {
class PackedStruct;
}

namespace lance::encoding::v20 {

// Structs row by row in one buffer: the members side by side without padding, all of fixed width
// and without nulls (spec/file-format.md §9.8).
class PackedPage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const encodings::PackedStruct& encoding,
                                                  const LeafShape& shape,
                                                  const BufferTable& buffers, uint64_t num_rows);

  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class PackedCursor;
  PackedPage(const LeafShape& shape, uint64_t num_rows, FixedSource rows)
      : PageReader(shape, {}, num_rows), rows_(rows) {}

  FixedSource rows_;
};

}  // namespace lance::encoding::v20
