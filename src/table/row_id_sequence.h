#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/byte_reader.h"
#include "base/error.h"

namespace lance::table {
class U64Segment;
}

namespace lance {

/// Values start … start + count - 1.
struct IdRun {
  uint64_t start = 0;
  uint64_t count = 0;
};

/// A run of 64-bit values in one of the five forms of the wire (`lance.table.U64Segment`):
///
///   range               start … end - 1
///   range with holes    the same without some values
///   range with bitmap   those values of the range whose bit is set
///   sorted array        ascending values
///   array               values in any order
class U64Segment {
 public:
  static U64Segment Range(uint64_t start, uint64_t count);
  /// Chooses the form as the reference does: the smallest for ascending values.
  static U64Segment FromValues(std::span<const uint64_t> values);
  /// The same of values given as runs, each above the one before.
  static U64Segment FromAscendingRuns(std::span<const IdRun> runs);

  /// Checks everything that later reads rely on.
  static Result<U64Segment> FromProto(const lance::table::U64Segment& proto);
  void ToProto(lance::table::U64Segment* proto) const;

  uint64_t size() const { return size_; }
  /// Values at positions [first, first + out.size()), which must exist.
  void Read(uint64_t first, std::span<uint64_t> out) const;
  /// The same values as runs; one that continues the last run of `runs` extends it.
  void AppendRuns(uint64_t first, uint64_t count, std::vector<IdRun>* runs) const;

 private:
  struct RangeForm {
    uint64_t start;
  };
  struct HolesForm {
    uint64_t start;
    uint64_t end;
    std::vector<uint64_t> holes;
  };
  struct BitmapForm {
    uint64_t start;
    uint64_t end;
    std::string bits;
    /// Set bits before each block of bytes.
    std::vector<uint64_t> block_ranks;
  };
  struct ArrayForm {
    std::vector<uint64_t> values;
    bool sorted;
  };

  static Result<U64Segment> FromBitmap(uint64_t start, uint64_t end, std::string bits);
  static U64Segment FromArray(std::vector<uint64_t> values, bool sorted);

  void ReadFrom(const RangeForm& form, uint64_t first, std::span<uint64_t> out) const;
  void ReadFrom(const HolesForm& form, uint64_t first, std::span<uint64_t> out) const;
  void ReadFrom(const BitmapForm& form, uint64_t first, std::span<uint64_t> out) const;
  void ReadFrom(const ArrayForm& form, uint64_t first, std::span<uint64_t> out) const;

  uint64_t size_ = 0;
  std::variant<RangeForm, HolesForm, BitmapForm, ArrayForm> form_;
};

/// The ids of a fragment's rows in physical order (`lance.table.RowIdSequence`); immutable.
class RowIdSequence {
 public:
  RowIdSequence() = default;
  /// Ids start … start + count - 1.
  static RowIdSequence Range(uint64_t start, uint64_t count);
  static RowIdSequence FromValues(std::span<const uint64_t> values);
  /// The same of ids given as runs, which stay runs where there are many ids.
  static RowIdSequence FromRuns(std::span<const IdRun> runs);
  /// Adds ids start … start + count - 1 at the end.
  void AppendRange(uint64_t start, uint64_t count);

  static Result<RowIdSequence> Decode(Bytes bytes);
  std::string Encode() const;

  uint64_t size() const { return size_; }
  /// Ids of rows [first, first + out.size()), which must exist.
  void Read(uint64_t first, std::span<uint64_t> out) const;
  /// The same ids as runs; one that continues the last run of `runs` extends it.
  void AppendRuns(uint64_t first, uint64_t count, std::vector<IdRun>* runs) const;

 private:
  void Add(U64Segment segment);
  /// The segment that holds a row, which must exist, or an empty one before it.
  size_t SegmentAt(uint64_t row) const;

  uint64_t size_ = 0;
  std::vector<U64Segment> segments_;
  /// Rows before each segment.
  std::vector<uint64_t> starts_;
};

}  // namespace lance
