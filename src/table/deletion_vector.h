#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "encoding/row_range.h"

namespace lance {

/// The deleted rows of one fragment: maps positions among the live rows to physical offsets and
/// back. Immutable.
///
/// Few deletions are kept as sorted offsets, many as a bitmap with a count before each 512 bits, so
/// that memory stays under an eighth of a byte per physical row (and the counts), whatever the
/// pattern.
class DeletionVector {
 public:
  /// Collects deleted rows, in any order; offsets outside the fragment and repeats are Corrupt.
  class Builder {
   public:
    explicit Builder(uint64_t physical_rows) : physical_rows_(physical_rows) {}
    Status Add(uint64_t first, uint64_t count = 1);
    Result<std::shared_ptr<const DeletionVector>> Finish() &&;

   private:
    uint64_t physical_rows_;
    uint64_t num_deleted_ = 0;
    std::vector<uint32_t> offsets_;
    std::vector<uint64_t> bits_;
  };

  uint64_t physical_rows() const { return physical_rows_; }
  uint64_t num_deleted() const { return num_deleted_; }
  uint64_t num_live() const { return physical_rows_ - num_deleted_; }

  bool IsDeleted(uint64_t offset) const;
  /// The runs of deleted rows, ascending.
  std::vector<RowRange> DeletedRanges() const;
  /// The physical offset of a live position below num_live().
  uint64_t PhysicalOffset(uint64_t live_position) const;
  /// Appends the ranges of physical offsets that hold the live positions of `live`, which ends at
  /// num_live() or before. A range that continues the last one of `out` extends it.
  void AppendPhysicalRanges(RowRange live, std::vector<RowRange>* out) const;

 private:
  DeletionVector() = default;
  /// Physical offset of the first deleted row at or behind `offset`, or physical_rows().
  uint64_t NextDeleted(uint64_t offset) const;
  uint64_t NextLive(uint64_t offset) const;

  uint64_t physical_rows_ = 0;
  uint64_t num_deleted_ = 0;
  /// One of the two is used.
  std::vector<uint32_t> offsets_;
  std::vector<uint64_t> bits_;
  /// Deleted rows before each block of bits_.
  std::vector<uint64_t> block_ranks_;
};

}  // namespace lance
