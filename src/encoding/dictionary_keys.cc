#include "encoding/dictionary_keys.h"

#include <algorithm>

namespace lance::encoding {
namespace {

/// Calls use(Key{}).
template <typename Use>
auto WithWidth(int32_t width, Use use) {
  switch (width) {
    case 1:
      return use(uint8_t{});
    case 2:
      return use(uint16_t{});
    case 4:
      return use(uint32_t{});
    default:
      return use(uint64_t{});
  }
}

/// Collects, of keys and of their distances from the last one, whether any has the highest bit:
/// that is so where a key is not below the items, if these are no more than half of the numbers.
template <typename Key>
class SeenKeys {
 public:
  explicit SeenKeys(uint64_t items) : last_(static_cast<Key>(items - 1)) {}
  void Add(Key key) { seen_ |= static_cast<Key>(key | static_cast<Key>(last_ - key)); }
  bool all_below() const { return seen_ >> (8 * sizeof(Key) - 1) == 0; }

 private:
  Key last_;
  Key seen_ = 0;
};

template <typename Key>
constexpr uint64_t kHalf = uint64_t{1} << (8 * sizeof(Key) - 1);

template <typename Key>
bool AreBelowHalf(uint64_t items, const Key* keys, int64_t count) {
  SeenKeys<Key> seen(items);
  for (int64_t i = 0; i < count; ++i) seen.Add(keys[i]);
  return seen.all_below();
}

}  // namespace

bool AreBelow(uint64_t items, const uint8_t* keys, int64_t count, int32_t width) {
  if (count == 0 || items == 0) return count == 0;
  return WithWidth(width, [&](auto zero) {
    using Key = decltype(zero);
    const auto* typed = reinterpret_cast<const Key*>(keys);
    if (items <= kHalf<Key>) return AreBelowHalf(items, typed, count);
    return std::all_of(typed, typed + count, [items](Key key) { return key < items; });
  });
}

bool CopyKeysBelow(uint64_t items, const uint8_t* from, int32_t from_width, int64_t count,
                   int32_t to_width, uint8_t* to) {
  if (count == 0 || items == 0) return count == 0;
  return WithWidth(from_width, [&](auto from_zero) {
    using From = decltype(from_zero);
    const auto* typed = reinterpret_cast<const From*>(from);
    return WithWidth(to_width, [&](auto to_zero) {
      using To = decltype(to_zero);
      auto* out = reinterpret_cast<To*>(to);
      SeenKeys<From> seen(items);
      for (int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<To>(typed[i]);
        seen.Add(typed[i]);
      }
      return seen.all_below();
    });
  });
}

}  // namespace lance::encoding
