#pragma once

#include <memory>
#include <vector>

#include "encoding/read/page_reader.h"
#include "encoding/v20/fixed_source.h"

namespace lance::encodings {
class PackedStruct;
}

namespace lance::encoding::v20 {

// Blobs (spec/file-format.md §9.11): a packed struct with the place of each value in the file.
//   u64 position, u64 size     0, 0: an empty value
//                              size 0, position ≠ 0: null
// What a read gives is the shape's: the bytes (kVariable), or the two numbers (kPackedStruct).
class BlobPage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const encodings::PackedStruct& encoding,
                                                  const LeafShape& shape,
                                                  const BufferTable& buffers, uint64_t num_rows);

  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class BlobCursor;
  BlobPage(const LeafShape& shape, uint64_t num_rows, FixedSource places)
      : PageReader(shape, {}, num_rows), places_(places) {}

  FixedSource places_;
};

}  // namespace lance::encoding::v20
