#pragma once

#include <memory>
#include <vector>

#include "encoding/read/packed_struct.h"
#include "encoding/read/page_levels.h"
#include "encoding/read/page_reader.h"
#include "encoding/read/per_value_decoder.h"

namespace lance::encodings21 {
class FullZipLayout;
}

namespace lance::encoding {

// Full-zip pages (spec/encodings.md §3.2): wide values, each behind its control word.
//
// Page buffers: 0 the zipped items; 1 the repetition index (rows + 1 byte offsets into buffer 0, of
// 1, 2, 4 or 8 bytes), present when values are variable or there are repetition levels.
// Item: control word of 0, 1, 2 or 4 bytes (rep << bits_def | def); then, if the item is visible,
// the value: fixed width, or (when it is valid) a u32 or u64 length and the bytes.
class FullZipPage final : public PageReader {
 public:
  /// `direct`: whether values may be read straight into the sink, where their place is known.
  static Result<std::unique_ptr<PageReader>> Make(const encodings21::FullZipLayout& layout,
                                                  const LeafShape& shape,
                                                  std::vector<PageBuffer> buffers,
                                                  uint64_t num_rows, bool direct = true);

  std::vector<NeededBytes> IndexNeeds() const override;
  Status LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool* pool) override;
  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;
  /// With values without content between the rows: gaps[i] of them before rows[i], the last ones
  /// at the end.
  std::unique_ptr<PageCursor> StartWithGaps(std::vector<RowRange> rows,
                                            std::vector<uint64_t> gaps) const;

 private:
  friend class FullZipCursor;
  FullZipPage(const LeafShape& shape, std::vector<PageBuffer> buffers, uint64_t num_rows)
      : PageReader(shape, std::move(buffers), num_rows) {}

  bool has_index() const { return index_entry_bytes_ != 0; }
  bool index_cached() const { return !index_.empty(); }
  uint64_t row_bytes() const { return control_bytes_ + fixed_->stored_bytes(); }
  /// Nothing but values, in the form that the sink has them.
  bool is_plain() const {
    return direct_ && !has_index() && control_bytes_ == 0 && fixed_ && fixed_->is_plain();
  }
  uint64_t IndexEntry(Bytes entries, uint64_t i) const;

  PageLevels levels_;
  uint32_t bits_def_ = 0;
  uint32_t control_bytes_ = 0;
  bool direct_ = true;
  std::optional<FixedValueDecoder> fixed_;
  std::optional<VariableValueDecoder> variable_;
  std::optional<PackedRowDecoder> packed_rows_;
  uint64_t length_bytes_ = 0;       ///< of the length before a variable value
  uint64_t index_entry_bytes_ = 0;  ///< 0: no index
  /// The whole repetition index, when it is small enough to keep.
  std::vector<uint8_t> index_;
};

}  // namespace lance::encoding
