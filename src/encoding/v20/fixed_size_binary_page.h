#pragma once

#include <memory>
#include <vector>

#include "encoding/read/page_reader.h"
#include "encoding/v20/fixed_source.h"

namespace lance::encodings {
class FixedSizeBinary;
}

namespace lance::encoding::v20 {

// Strings that are all of one length, side by side, without nulls (spec/file-format.md §9.12). Of
// older writers.
class FixedSizeBinaryPage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const encodings::FixedSizeBinary& encoding,
                                                  const LeafShape& shape,
                                                  const BufferTable& buffers, uint64_t num_rows);

  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class FixedSizeBinaryCursor;
  FixedSizeBinaryPage(const LeafShape& shape, uint64_t num_rows, uint64_t value_bytes,
                      FixedSource bytes)
      : PageReader(shape, {}, num_rows), value_bytes_(value_bytes), bytes_(bytes) {}

  uint64_t value_bytes_;
  FixedSource bytes_;
};

}  // namespace lance::encoding::v20
