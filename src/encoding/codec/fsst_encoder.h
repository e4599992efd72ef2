#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/codec/fsst_decoder.h"

namespace lance::encoding {

/// A symbol table for "fast static symbol table" compression (Boncz, Neumann, Leis, VLDB 2020):
/// frequent strings of 1 … 8 bytes are replaced by one-byte codes, other bytes are stored behind
/// an escape code. Each string is compressed by itself; at each position the longest symbol that
/// matches is taken. Immutable, thread-safe. The decoder's header gives the serialised form.
class FsstEncoder {
 public:
  /// Bytes of sample beyond which a table hardly gets better.
  static constexpr uint64_t kSampleBytes = 16384;

  /// Learns a table from pieces of the data, some kSampleBytes in total.
  static FsstEncoder Train(std::span<const std::string_view> sample);

  /// Most bytes that `size` bytes can become.
  static constexpr uint64_t MaxCompressedSize(uint64_t size) { return 2 * size; }

  /// Compresses [text, text + size) into `out`, which has room for MaxCompressedSize(size), and
  /// returns the compressed size. The bytes up to `readable_end` may be loaded too.
  uint64_t Compress(const uint8_t* text, uint64_t size, const uint8_t* readable_end,
                    uint8_t* out) const;

  /// kFsstTableBytes bytes.
  std::string SerializeTable() const;

  uint32_t num_symbols() const { return static_cast<uint32_t>(symbols_.size()); }

  /// The longest symbol at a position. `word` holds the next 8 bytes, zeros after the end of the
  /// string; `remaining` > 0 counts what is left of it.
  struct Match {
    uint8_t code;
    uint8_t length;
  };
  Match Find(uint64_t word, uint64_t remaining) const;

  static constexpr uint8_t kEscape = 255;

 private:
  static constexpr uint32_t kHashBits = 12;

  // A symbol of three bytes or more. Those with the same hash of their first three bytes stand
  // together, the longest first.
  struct LongSymbol {
    uint64_t bytes;
    uint64_t mask;
    uint8_t length;
    uint8_t code;
    bool last;
  };

  explicit FsstEncoder(std::vector<std::string> symbols);
  static uint32_t Hash(uint64_t word);

  std::vector<std::string> symbols_;
  std::vector<LongSymbol> long_symbols_;
  // By hash: where its long symbols start; 0 holds one that never matches.
  std::array<uint16_t, 1u << kHashBits> long_index_ = {};
  // What to do with the first one or two bytes if no long symbol matches.
  std::array<Match, 256> one_byte_;
  std::vector<Match> two_bytes_;
};

}  // namespace lance::encoding
