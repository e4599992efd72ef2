#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/error.h"

namespace lance {

using Bytes = std::span<const uint8_t>;

inline Bytes AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline std::string_view AsText(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Loads a little-endian number from unaligned memory. The caller has checked the bounds.
template <typename T>
T LoadLittleEndian(const uint8_t* data) {
  static_assert(std::is_arithmetic_v<T>);
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}
template <typename T>
void StoreLittleEndian(T value, uint8_t* data) {
  static_assert(std::is_arithmetic_v<T>);
  std::memcpy(data, &value, sizeof(T));
}

/// A cursor over bytes that nobody has checked yet. Every read is bounds-checked and names what
/// was being read.
class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : bytes_(bytes) {}

  uint64_t position() const { return position_; }
  uint64_t remaining() const { return bytes_.size() - position_; }
  bool done() const { return remaining() == 0; }

  template <typename T>
  Result<T> Read(std::string_view what) {
    if (remaining() < sizeof(T)) return TooShort(what, sizeof(T));
    T value = LoadLittleEndian<T>(bytes_.data() + position_);
    position_ += sizeof(T);
    return value;
  }
  Result<Bytes> ReadBytes(uint64_t size, std::string_view what) {
    if (remaining() < size) return TooShort(what, size);
    Bytes out = bytes_.subspan(position_, size);
    position_ += size;
    return out;
  }
  /// Moves on to the next multiple of `alignment` (counted from the start of the bytes); padding
  /// that is missing at the very end is an error.
  Status AlignTo(uint64_t alignment, std::string_view what) {
    uint64_t rest = position_ % alignment;
    if (rest == 0) return Status::OK();
    return ReadBytes(alignment - rest, what).status();
  }

 private:
  Status TooShort(std::string_view what, uint64_t wanted) const {
    return Corrupt("bytes end inside ", what, ": ", wanted, " bytes expected at position ",
                   position_, ", ", remaining(), " present");
  }

  Bytes bytes_;
  uint64_t position_ = 0;
};

}  // namespace lance
