#pragma once

#include <memory>
#include <vector>

#include "encoding/read/mini_block_page.h"

namespace lance::encoding {

/// Reads scattered rows of a mini-block page whose chunks are plain values without levels: where a
/// value stands follows from the chunk table, so that its bytes alone are read.
class PlainValuesCursor final : public PageCursor {
 public:
  /// Whether so few rows stand together that this reads less than whole chunks.
  static bool IsFor(const std::vector<RowRange>& rows);

  PlainValuesCursor(const MiniBlockPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {}
  Status Needs(LeafSink& sink, uint64_t at, std::vector<NeededBytes>* needs) override;
  Status Feed(std::span<const Bytes> bytes) override;
  Status DecodeInto(LeafSink& sink, uint64_t at) override;

 private:
  const MiniBlockPage& page_;
  std::vector<RowRange> rows_;
  std::vector<Bytes> bytes_;
  bool fed_ = false;
};

}  // namespace lance::encoding
