#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
/// Up to 32 bytes by the four words that cover them.
inline uint64_t HashOf(std::string_view bytes) {
  constexpr size_t kWord = sizeof(uint64_t);
  const size_t size = bytes.size();
  if (size > 4 * kWord) return MixWord(std::hash<std::string_view>()(bytes));
  auto word_at = [&](size_t at) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, kWord);
    return word;
  };
  uint64_t hash = size;
  if (size >= kWord) {
    hash = MixWord(hash ^ word_at(0)) + word_at(size - kWord);
    if (size > 2 * kWord) {
      hash = MixWord(hash) ^ word_at(kWord);
      hash = MixWord(hash) ^ word_at(size - 2 * kWord);
    }
  } else if (size > 0) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), size);
    hash ^= word << kWord;
  }
  return MixWord(MixWord(hash));
}

/// A set of keys in one array, half of which stays empty: open addressing, by the upper bits of the
/// hash. Most keys that are not in it are told by a bit of a small bitmap.
template <typename Key>
class ValueTable {
 public:
  void Reserve(size_t count) {
    const size_t slots = std::bit_ceil(2 * count + 2);
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
    slots_.assign(slots, Slot());
    bits_.assign(slots * kBitsPerSlot / 64 + 1, 0);
  }

  /// No more than were reserved.
  void Insert(Key key) {
    const uint64_t hash = HashOf(key);
    slots_[Find(key, hash)] = {key, true};
    bits_[BitOf(hash) / 64] |= uint64_t{1} << (BitOf(hash) % 64);
  }

  bool Contains(Key key) const {
    const uint64_t hash = HashOf(key);
    if (((bits_[BitOf(hash) / 64] >> (BitOf(hash) % 64)) & 1) == 0) return false;
    return slots_[Find(key, hash)].is_used;
  }

 private:
  static constexpr size_t kBitsPerSlot = 8;

  struct Slot {
    Key key{};
    bool is_used = false;
  };

  size_t BitOf(uint64_t hash) const {
    return (hash >> shift_) * kBitsPerSlot + hash % kBitsPerSlot;
  }

  /// The slot that has the key, or the empty one where it would go.
  size_t Find(Key key, uint64_t hash) const {
    size_t at = hash >> shift_;
    while (slots_[at].is_used && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(2);
  std::vector<uint64_t> bits_ = std::vector<uint64_t>(1);
  unsigned shift_ = 63;
};

}  // namespace lance::query
