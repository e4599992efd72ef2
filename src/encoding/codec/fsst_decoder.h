#pragma once

#include <array>
#include <cstdint>

#include "base/byte_reader.h"
#include "base/error.h"

namespace lance::encoding {

/// Bytes of a serialised symbol table (spec/encodings.md §4.10).
constexpr uint64_t kFsstTableBytes = 2312;
/// A code byte expands to this many bytes at most.
constexpr uint64_t kFsstMaxSymbolBytes = 8;

// Symbol table:
//   0      u8 number of symbols n
//   1, 2   u8 terminator, u8 suffix limit (of no use to readers)
//   3      u8 switch: bit 0 set when the strings are codes, clear when they are stored plain
//   4      "TSSF"
//   8      n × 8 bytes: the symbols, zero padded; then n × u8: their lengths, 1 … 8; zeros

/// Decodes strings of one page. Immutable, thread-safe.
class FsstDecoder {
 public:
  static Result<FsstDecoder> Parse(Bytes table);

  /// Room that decoding `size` bytes of codes may need in `out`.
  static uint64_t MaxDecodedBytes(uint64_t size) {
    return size * kFsstMaxSymbolBytes + kFsstMaxSymbolBytes;
  }
  /// Decodes one string and returns its end in `out`, which has room for
  /// MaxDecodedBytes(codes.size()); null for a code without a symbol or an unfinished escape.
  uint8_t* Decode(Bytes codes, uint8_t* out) const;
  /// Decodes `count` strings that lie one after the other: string i is codes[offsets[i],
  /// offsets[i + 1]), offsets ascend. Says in `ends` where each ends behind `out`, which has room
  /// for MaxDecodedBytes of all codes. Returns false where Decode() returns null.
  template <typename Offset>
  bool DecodeAll(const uint8_t* codes, const Offset* offsets, uint64_t count, uint8_t* out,
                 uint64_t* ends) const;
  /// The error for a null of Decode().
  static Status BadCodes();

 private:
  /// Decodes codes that are not cut into strings yet; at[i] is the size of what the first i give,
  /// or kInsideEscape. Returns the end of the output.
  uint8_t* DecodeStream(Bytes codes, uint8_t* out, uint32_t* at, bool* known) const;

  bool in_use_ = false;
  std::array<uint64_t, 256> symbols_{};
  std::array<uint8_t, 256> lengths_{};  ///< 0: there is no such symbol
};

}  // namespace lance::encoding
