#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "encoding/read/page_reader.h"
#include "encoding/v20/fixed_source.h"

namespace lance::encoding::v20 {

/// Validity bitmaps up to this size are kept with the page, so that a row costs one read.
constexpr uint64_t kMaxKeptValidityBytes = 1 << 20;

// Values of fixed width, primitive fixed-size lists of them, or keys of a dictionary
// (spec/file-format.md §9.2 to §9.4): a Nullable around the row, and one around the items of each
// fixed-size list, each a bitmap, nothing (all valid) or the end (all null); then the values.
class FixedPage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const encodings::ArrayEncoding& encoding,
                                                  const LeafShape& shape,
                                                  const BufferTable& buffers, uint64_t num_rows);
  /// Values without nulls, also those of fixed-size lists, side by side in one buffer.
  static Result<std::unique_ptr<PageReader>> MakePlain(const LeafShape& shape, PageBuffer buffer,
                                                       uint64_t num_rows);

  std::vector<NeededBytes> IndexNeeds() const override;
  Status LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool* pool) override;
  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class FixedCursor;
  struct Level {
    uint64_t items_per_row = 1;
    bool all_null = false;
    std::optional<FixedSource> validity;
    std::vector<uint8_t> kept;  ///< the whole bitmap, if it is small

    bool is_kept() const;
  };

  FixedPage(const LeafShape& shape, uint64_t num_rows) : PageReader(shape, {}, num_rows) {}
  /// The values inside the nullability of the level.
  Result<const encodings::ArrayEncoding*> AddLevel(const encodings::ArrayEncoding& encoding,
                                                   const BufferTable& buffers);

  std::vector<Level> levels_;          ///< the rows, then the items by depth
  uint64_t items_per_row_ = 1;         ///< of the innermost level
  std::optional<FixedSource> values_;  ///< none when a level is all null
};

}  // namespace lance::encoding::v20
