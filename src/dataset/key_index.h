#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "dataset/row_keys.h"

namespace lance {

/// Finds rows by their keys. Built by adding rows, which are numbered in that order; then
/// immutable.
class KeyIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// Adds rows; keys with nulls take a number, but are never found.
  Status Add(const RowKeys& keys);

  uint32_t size() const { return static_cast<uint32_t>(next_.size()); }
  uint64_t memory_bytes() const;
  /// A key among those that were looked for, and the first row that has it.
  struct Hit {
    int64_t key;
    uint32_t row;
  };
  /// Those that are found, in their order.
  std::vector<Hit> Find(const RowKeys& keys) const;
  /// Another row with the same key as this one: each comes once, then kNone.
  uint32_t Next(uint32_t row) const { return next_[row]; }

 private:
  /// An entry of an open-addressed table: the word of the key, or the hash of its bytes.
  struct Slot {
    uint64_t tag = 0;
    uint32_t row = kNone;
  };

  void Grow(size_t rows);
  void AddToFilter(uint64_t tag);
  bool MayHave(uint64_t tag) const;
  void StoreBytes(const RowKeys& keys, std::span<const int64_t> rows);
  void Insert(uint64_t tag, std::string_view bytes, uint32_t row);
  /// The slot of the key, or the empty one where it would be.
  size_t SlotOf(uint64_t tag, std::string_view bytes) const;
  std::string_view StoredBytes(uint32_t row) const {
    if (!has_bytes_) return {};
    return std::string_view(bytes_).substr(ends_[row], ends_[row + 1] - ends_[row]);
  }

  bool has_bytes_ = false;
  /// A bit for each hash that is there. It fits into a cache where the slots don't, and tells of
  /// most keys at once that they are not there.
  std::vector<uint64_t> filter_;
  int filter_shift_ = 0;  // of a hash, to get its bit
  std::vector<Slot> slots_;
  std::vector<uint32_t> next_;  // by row
  // Of keys that are bytes, by row.
  std::string bytes_;
  std::vector<uint64_t> ends_ = {0};
};

}  // namespace lance
