#include "table/unique_names.h"

#include <array>
#include <cstdint>
#include <random>

namespace lance {
namespace {

constexpr size_t kUuidBytes = 16;
constexpr size_t kBinaryBytes = 3;
constexpr char kHexDigits[] = "0123456789abcdef";

std::array<uint8_t, kUuidBytes> RandomUuid() {
  // The system's source, never a seeded generator: names must differ between processes, and
  // between a process and its fork.
  std::random_device source;
  std::array<uint8_t, kUuidBytes> bytes;
  for (size_t i = 0; i < bytes.size(); i += 4) {
    uint32_t word = source();
    for (size_t k = 0; k < 4; ++k) bytes[i + k] = static_cast<uint8_t>(word >> (8 * k));
  }
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0f) | 0x40);  // version 4
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3f) | 0x80);  // RFC variant
  return bytes;
}

void AppendHex(uint8_t byte, std::string* out) {
  out->push_back(kHexDigits[byte >> 4]);
  out->push_back(kHexDigits[byte & 15]);
}

}  // namespace

std::string MakeUuid() {
  auto bytes = RandomUuid();
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text.push_back('-');
    AppendHex(bytes[i], &text);
  }
  return text;
}

std::string MakeDataFileName() {
  auto bytes = RandomUuid();
  std::string name;
  for (size_t i = 0; i < kBinaryBytes; ++i) {
    for (int bit = 7; bit >= 0; --bit) name.push_back(((bytes[i] >> bit) & 1) != 0 ? '1' : '0');
  }
  for (size_t i = kBinaryBytes; i < bytes.size(); ++i) AppendHex(bytes[i], &name);
  return name + ".lance";
}

}  // namespace lance
