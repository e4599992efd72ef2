#pragma once

#include <vector>

#include "encoding/v20/fixed_source.h"

namespace lance::encoding::v20 {

/// The ends of strings or lists within a page: one u64 a row, without the 0 before the first;
/// those of nulls are marked by an adjustment added to them. To know where a row starts, the end of
/// the row before is read with it.
class EndOffsets {
 public:
  static Result<EndOffsets> Make(const encodings::ArrayEncoding& encoding,
                                 const BufferTable& buffers, uint64_t num_rows);

  void AddNeeds(std::span<const RowRange> rows, std::vector<NeededBytes>* needs) const;
  size_t CountNeeds(size_t ranges) const { return source_.CountNeeds(ranges); }
  /// For each range: where its first row starts as stored (0 at the start of the page), then the
  /// stored end of each row.
  Result<std::vector<uint64_t>> Decode(std::span<const Bytes> stored,
                                       std::span<const RowRange> rows,
                                       arrow::MemoryPool* pool) const;

 private:
  explicit EndOffsets(FixedSource source) : source_(source) {}
  FixedSource source_;
};

}  // namespace lance::encoding::v20
