#include "query/expr/kernel/short_needle.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/byte_reader.h"

// Compiled once per instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "query/expr/kernel/short_needle.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lance::query {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Places that are looked at together, one bit each.
constexpr size_t kBlock = 64;

const char* Find(const char* at, const char* end, const char* needle, size_t size) {
  const hn::CappedTag<uint8_t, kBlock> vector;
  const size_t lanes = hn::Lanes(vector);
  const auto first = hn::Set(vector, static_cast<uint8_t>(needle[0]));
  const auto last = hn::Set(vector, static_cast<uint8_t>(needle[size - 1]));
  for (; static_cast<size_t>(end - at) >= kBlock + size - 1; at += kBlock) {
    // A store may write more than its bits, 8 bytes at most.
    uint8_t bits[2 * kBlock / 8];
    for (size_t i = 0; i < kBlock; i += lanes) {
      const auto* place = reinterpret_cast<const uint8_t*>(at + i);
      const auto is_first = hn::Eq(hn::LoadU(vector, place), first);
      const auto is_last = hn::Eq(hn::LoadU(vector, place + size - 1), last);
      hn::StoreMaskBits(vector, hn::And(is_first, is_last), bits + i / 8);
    }
    for (auto places = LoadLittleEndian<uint64_t>(bits); places != 0; places &= places - 1) {
      const char* place = at + std::countr_zero(places);
      if (std::memcmp(place, needle, size) == 0) return place;
    }
  }
  for (; static_cast<size_t>(end - at) >= size; ++at) {
    if (std::memcmp(at, needle, size) == 0) return at;
  }
  return end;
}

}  // namespace HWY_NAMESPACE
}  // namespace lance::query
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lance::query {

HWY_EXPORT(Find);

const char* FindShortNeedle(const char* at, const char* end, std::string_view needle) {
  return HWY_DYNAMIC_DISPATCH(Find)(at, end, needle.data(), needle.size());
}

}  // namespace lance::query
#endif  // HWY_ONCE
