#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/roaring_bitmap.h"

namespace lance::query {

/// Offsets [first, first + count).
struct OffsetRun {
  uint64_t first = 0;
  uint64_t count = 0;

  bool operator==(const OffsetRun&) const = default;
};

/// Rows of one fragment by their physical offsets: those in a bitmap, or all others.
class OffsetSet {
 public:
  static OffsetSet None() { return {}; }
  static OffsetSet All();
  /// Offsets [first, end); the last possible end is 2^32.
  static OffsetSet Range(uint64_t first, uint64_t end);
  explicit OffsetSet(RoaringBitmap offsets) : offsets_(std::move(offsets)) {}

  void Add(uint32_t offset);

  bool Contains(uint32_t offset) const { return offsets_.contains(offset) != is_inverted_; }
  bool IsNone() const { return !is_inverted_ && offsets_.isEmpty(); }
  bool IsAll() const { return is_inverted_ && offsets_.isEmpty(); }
  /// Members below `end`.
  uint64_t CountBelow(uint64_t end) const;
  /// The runs of members in [first, end), ascending, each as long as can be.
  std::vector<OffsetRun> Runs(uint64_t first, uint64_t end) const;

  OffsetSet Not() const;
  friend OffsetSet And(const OffsetSet& a, const OffsetSet& b);
  friend OffsetSet Or(const OffsetSet& a, const OffsetSet& b);
  bool operator==(const OffsetSet&) const = default;

 private:
  OffsetSet() = default;

  RoaringBitmap offsets_;
  bool is_inverted_ = false;
};

/// Any set of rows of a table, by fragment. Closed under NOT: of the fragments that it doesn't list
/// it has all rows or none.
class RowSet {
 public:
  static RowSet None() { return {}; }
  static RowSet All();

  /// The rows of a fragment become these.
  void Set(uint32_t fragment_id, OffsetSet offsets);
  void Add(uint32_t fragment_id, uint32_t offset);

  bool Contains(uint32_t fragment_id, uint32_t offset) const {
    return Of(fragment_id).Contains(offset);
  }
  const OffsetSet& Of(uint32_t fragment_id) const;

  RowSet Not() const;
  friend RowSet And(const RowSet& a, const RowSet& b);
  friend RowSet Or(const RowSet& a, const RowSet& b);
  bool operator==(const RowSet&) const = default;

 private:
  const OffsetSet& OfOthers() const;

  /// Fragments whose rows differ from those of the others.
  std::map<uint32_t, OffsetSet> fragments_;
  bool has_others_ = false;
};

/// The rows of `a` that are not in `b`.
RowSet Without(const RowSet& a, const RowSet& b);

}  // namespace lance::query
