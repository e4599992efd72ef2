#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lance::query {

// The words of JSONB (see jsonb.h).

constexpr size_t kWordBytes = 4;
constexpr uint32_t kCountMask = (1u << 29) - 1;
constexpr uint32_t kLengthMask = (1u << 28) - 1;
/// Readers and writers go down by recursion, so deeper values are refused.
constexpr int kMaxNesting = 1000;

enum class Kind : uint8_t { kScalar = 1, kObject = 2, kArray = 4 };
enum class WordType : uint8_t {
  kNull = 0,
  kString = 1,
  kNumber = 2,
  kFalse = 3,
  kTrue = 4,
  kContainer = 5,
  kExtension = 6,
};

constexpr uint32_t HeaderOf(Kind kind, uint32_t count) {
  return static_cast<uint32_t>(kind) << 29 | count;
}
constexpr uint32_t WordOf(WordType type, uint32_t length) {
  return static_cast<uint32_t>(type) << 28 | length;
}
constexpr WordType TypeOf(uint32_t word) { return static_cast<WordType>((word >> 28) & 7); }

inline uint64_t ReadBigEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

inline void AppendWord(uint32_t word, std::string* out) {
  for (int shift = 24; shift >= 0; shift -= 8) out->push_back(static_cast<char>(word >> shift));
}

}  // namespace lance::query
