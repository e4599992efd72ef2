#include "query/expr/kernel/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lance::query {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr uint8_t kNoDigit = 0xFF;
constexpr size_t kBytesPerGroup = 3;
constexpr size_t kDigitsPerGroup = 4;

constexpr std::array<uint8_t, 256> ValuesOf(std::string_view digits) {
  std::array<uint8_t, 256> values{};
  for (uint8_t& value : values) value = kNoDigit;
  for (size_t i = 0; i < digits.size(); ++i) {
    values[static_cast<unsigned char>(digits[i])] = static_cast<uint8_t>(i);
  }
  return values;
}

uint8_t ValueOf(const std::array<uint8_t, 256>& values, char digit) {
  return values[static_cast<unsigned char>(digit)];
}

}  // namespace

void AppendBase64(std::string_view bytes, bool is_padded, std::string* out) {
  const size_t before = out->size();
  const size_t groups = (bytes.size() + kBytesPerGroup - 1) / kBytesPerGroup;
  out->resize(before + groups * kDigitsPerGroup, '=');
  char* digit = out->data() + before;
  while (!bytes.empty()) {
    const size_t count = std::min(bytes.size(), kBytesPerGroup);
    uint32_t group = 0;
    for (size_t i = 0; i < kBytesPerGroup; ++i) {
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[i]) : 0);
    }
    for (size_t i = 0; i <= count; ++i) *digit++ = kAlphabet[group >> (18 - 6 * i) & 63];
    bytes.remove_prefix(count);
  }
  if (!is_padded) out->resize(static_cast<size_t>(digit - out->data()));
}

bool AppendFromBase64(std::string_view text, std::string* out) {
  static constexpr std::array<uint8_t, 256> kValues = ValuesOf(kAlphabet);
  // Padding fills the last group at most.
  const size_t digits = text.find_last_not_of('=') + 1;
  const size_t in_last = digits % kDigitsPerGroup;
  const size_t most_padding = in_last == 0 ? 0 : kDigitsPerGroup - in_last;
  if (in_last == 1 || text.size() - digits > most_padding) return false;
  uint32_t group = 0;
  for (size_t i = 0; i < digits; ++i) {
    const uint8_t value = ValueOf(kValues, text[i]);
    if (value == kNoDigit) return false;
    group = group << 6 | value;
    if (i % kDigitsPerGroup != kDigitsPerGroup - 1) continue;
    for (int shift : {16, 8, 0}) *out += static_cast<char>(group >> shift & 0xFF);
    group = 0;
  }
  if (in_last == 2) {
    *out += static_cast<char>(group >> 4);
    return (group & 0xF) == 0;
  }
  if (in_last == 3) {
    *out += static_cast<char>(group >> 10);
    *out += static_cast<char>(group >> 2 & 0xFF);
    return (group & 3) == 0;
  }
  return true;
}

void AppendHex(std::string_view bytes, std::string* out) {
  const size_t before = out->size();
  out->resize(before + 2 * bytes.size());
  char* digit = out->data() + before;
  for (char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    *digit++ = kHexDigits[value >> 4];
    *digit++ = kHexDigits[value & 15];
  }
}

bool AppendFromHex(std::string_view text, std::string* out) {
  static constexpr std::array<uint8_t, 256> kValues = [] {
    std::array<uint8_t, 256> values = ValuesOf(kHexDigits);
    for (char upper = 'A'; upper <= 'F'; ++upper) {
      values[static_cast<unsigned char>(upper)] = static_cast<uint8_t>(upper - 'A' + 10);
    }
    return values;
  }();
  if (text.size() % 2 != 0) return false;
  for (size_t i = 0; i < text.size(); i += 2) {
    const uint8_t high = ValueOf(kValues, text[i]);
    const uint8_t low = ValueOf(kValues, text[i + 1]);
    if (high == kNoDigit || low == kNoDigit) return false;
    *out += static_cast<char>(high << 4 | low);
  }
  return true;
}

}  // namespace lance::query
