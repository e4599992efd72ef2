#pragma once

#include <cstdint>

namespace lance {

/// Where a row is: fragment id in the upper 32 bits, physical offset in the lower. Changes when
/// the row is rewritten.
enum class RowAddress : uint64_t {};

constexpr RowAddress MakeRowAddress(uint32_t fragment_id, uint32_t offset) {
  return RowAddress{(static_cast<uint64_t>(fragment_id) << 32) | offset};
}
constexpr uint32_t FragmentIdOf(RowAddress address) {
  return static_cast<uint32_t>(static_cast<uint64_t>(address) >> 32);
}
constexpr uint32_t OffsetOf(RowAddress address) {
  return static_cast<uint32_t>(static_cast<uint64_t>(address));
}

/// Which row it is: the same through updates and compaction in tables with stable row ids; equal
/// to the address in others.
enum class RowId : uint64_t {};

/// Addresses have 32 bits for the offset.
constexpr uint64_t kMaxFragmentRows = 1ull << 32;

}  // namespace lance
