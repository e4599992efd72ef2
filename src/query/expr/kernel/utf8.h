#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lance::query {

/// Bytes of the character at the start of a text that is not empty. Bytes that are not UTF-8 count
/// as characters.
inline size_t CharacterBytes(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  size_t bytes = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return bytes < text.size() ? bytes : text.size();
}

inline bool IsAscii(std::string_view text) {
  unsigned char all = 0;
  for (char byte : text) all = static_cast<unsigned char>(all | static_cast<unsigned char>(byte));
  return all < 0x80;
}

inline int64_t CountCharacters(std::string_view text) {
  int64_t count = 0;
  for (char byte : text) count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

/// Where the n-th character (from 0) begins; the length if there are fewer.
inline size_t ByteOfCharacter(std::string_view text, int64_t n) {
  size_t at = 0;
  for (; n > 0 && at < text.size(); --n) at += CharacterBytes(text.substr(at));
  return at;
}

/// The first characters of a text, at most `bytes` bytes of them; `…` stands for the others.
inline std::string Shortened(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return std::string(text.substr(0, bytes)) + "…";
}

}  // namespace lance::query
