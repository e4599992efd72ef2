#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace lance::query {

/// Spreads the bits of a number over the upper ones.
inline uint64_t MixWord(uint64_t word) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  word ^= word >> 32;
  return word * kOdd;
}

inline uint64_t HashOf(uint64_t word) { return MixWord(word); }
inline uint64_t HashOf(std::string_view bytes) {
  return MixWord(std::hash<std::string_view>()(bytes));
}

/// A set of keys in one array, half of which stays empty: open addressing, by the upper bits of the
/// hash.
template <typename Key>
class ValueTable {
 public:
  void Reserve(size_t count) {
    const size_t slots = std::bit_ceil(2 * count + 2);
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
    slots_.assign(slots, Slot());
  }

  /// No more than were reserved.
  void Insert(Key key) {
    Slot& slot = slots_[Find(key)];
    slot = {key, true};
  }

  bool Contains(Key key) const { return slots_[Find(key)].is_used; }

 private:
  struct Slot {
    Key key{};
    bool is_used = false;
  };

  /// The slot that has the key, or the empty one where it would go.
  size_t Find(Key key) const {
    size_t at = HashOf(key) >> shift_;
    while (slots_[at].is_used && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(2);
  unsigned shift_ = 63;
};

}  // namespace lance::query
