#pragma once

#include <memory>
#include <vector>

#include "encoding/read/page_levels.h"
#include "encoding/read/page_reader.h"

namespace lance::encodings21 {
class BlobLayout;
}

namespace lance::encoding {

// Pages of blobs (spec/encodings.md §3.4): the bytes of each value stand somewhere else in the
// file.
//
// The buffers are those of the inner layout, a packed struct without nulls:
//   u64 position, u64 size     size > 0: the value is at [position, position + size) of the file
//                              0, 0: an empty value
//                              size 0, position ≠ 0: null, position = definition << 16 | repetition
//
// What a read gives is the shape's: the bytes (kVariable), or the two numbers (kPackedStruct).
class BlobPage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const encodings21::BlobLayout& layout,
                                                  const LeafShape& shape,
                                                  std::vector<PageBuffer> buffers,
                                                  uint64_t num_rows, bool version_2_1);

  std::vector<NeededBytes> IndexNeeds() const override { return places_->IndexNeeds(); }
  Status LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool* pool) override {
    return places_->LoadIndex(bytes, pool);
  }
  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class BlobCursor;
  BlobPage(const LeafShape& shape, std::vector<PageBuffer> buffers, uint64_t num_rows)
      : PageReader(shape, std::move(buffers), num_rows) {}

  PageLevels levels_;
  std::unique_ptr<PageReader> places_;
};

/// A packed struct of position and size.
const LeafShape& BlobPlacesShape();

}  // namespace lance::encoding
