#pragma once

#include <memory>
#include <vector>

#include "encoding/read/block_decoder.h"
#include "encoding/read/page_levels.h"
#include "encoding/read/page_reader.h"

namespace lance::encodings21 {
class ConstantLayout;
}

namespace lance::encoding {

// Pages in which no value is valid, or all valid values are equal (spec/encodings.md §3.3).
//
// Page buffers: none; or repetition and definition levels; each of these with the scalar before
// when it is not inline. A missing descriptor of levels means raw u16.
class ConstantPage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const encodings21::ConstantLayout& layout,
                                                  const LeafShape& shape,
                                                  std::vector<PageBuffer> buffers,
                                                  uint64_t num_rows);

  std::vector<NeededBytes> IndexNeeds() const override;
  Status LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool* pool) override;
  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class ConstantCursor;
  ConstantPage(const LeafShape& shape, std::vector<PageBuffer> buffers, uint64_t num_rows)
      : PageReader(shape, std::move(buffers), num_rows) {}

  Status SetInlineScalar(Bytes value);
  Status SetScalarBuffer(Bytes buffer);
  Status LoadLevels(Bytes rep, Bytes def);
  Status AppendValues(uint64_t count, uint64_t at, LeafSink& sink) const;
  Status AppendItems(uint64_t begin, uint64_t end, uint64_t at, LeafSink& sink) const;

  PageLevels levels_;
  std::unique_ptr<BlockDecoder> rep_decoder_;
  std::unique_ptr<BlockDecoder> def_decoder_;
  uint64_t num_rep_ = 0;
  uint64_t num_def_ = 0;
  bool has_scalar_ = false;
  bool scalar_in_buffer_ = false;
  bool has_level_buffers_ = false;
  /// Every row is null, and there are no levels that say so.
  bool all_rows_null_ = false;
  std::vector<uint8_t> scalar_;

  // Index
  std::vector<uint16_t> rep_;
  std::vector<uint16_t> def_;
  std::vector<uint64_t> row_start_;  ///< item where each row starts, and the end; only with lists
};

}  // namespace lance::encoding
