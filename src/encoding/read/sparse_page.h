#pragma once

#include <memory>
#include <vector>

#include "encoding/read/leaf_sink.h"
#include "encoding/read/page_reader.h"
#include "encoding/read/sparse_structure.h"

namespace lance::encodings21 {
class CompressiveEncoding;
}
namespace lance::encodings23 {
class IndexedValues;
class SparseStructure;
class ValuePlane;
}  // namespace lance::encodings23

namespace lance::encoding {

// Sparse pages of 2.3 (spec/encodings.md §7.2). Page buffers: those of the values, then the
// payloads of the structure. Values are stored
//   chunked    for all slots of the leaf, as a mini-block page without levels
//   zipped     for the live slots, as a full-zip page without levels
//   constant   one for all
//   none       no slot is live
//   indexed    strings: indices of all slots into zipped items
class SparsePage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const encodings23::SparseStructure& structure,
                                                  const encodings23::ValuePlane& values,
                                                  const LeafShape& shape,
                                                  std::vector<PageBuffer> buffers,
                                                  uint64_t num_rows);

  std::vector<NeededBytes> IndexNeeds() const override;
  Status LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool* pool) override;
  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class SparseCursor;
  SparsePage(const LeafShape& shape, std::vector<PageBuffer> buffers, uint64_t num_rows)
      : PageReader(shape, std::move(buffers), num_rows) {}

  Status MakeValues(const encodings23::ValuePlane& values);
  Status MakeIndexed(const encodings23::IndexedValues& values);
  Status LoadItems(Bytes zipped, Bytes offsets, arrow::MemoryPool* pool);
  /// The first live slot at or behind `slot` by its rank among the live ones.
  uint64_t LiveBefore(uint64_t slot) const;

  enum class Values : uint8_t { kAllSlots, kLiveSlots, kNone, kIndexed };

  SparseStructure structure_;
  /// The leaf without the layers above it: what the pages of values are made for.
  LeafShape leaf_shape_;
  LeafShape item_shape_;
  Values values_ = Values::kNone;
  std::unique_ptr<PageReader> value_page_;  ///< slots or ranks as its rows; or the items
  std::unique_ptr<SequenceDecoder> index_decoder_;
  uint64_t num_items_ = 0;
  uint64_t declared_live_ = 0;
  size_t num_value_buffers_ = 0;

  // Index
  std::vector<uint64_t> live_before_;  ///< live slots before each live range
  std::vector<uint32_t> indices_;
  std::shared_ptr<const DecodedBlock> items_;
};

}  // namespace lance::encoding
