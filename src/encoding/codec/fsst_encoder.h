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
  /// How much is done to learn a table: a few milliseconds, or some four times as many for codes
  /// that are about a twentieth shorter.
  enum class Effort : uint8_t { kUsual, kHigh };

  /// Bytes of sample that are worth it.
  static constexpr uint64_t SampleBytes(Effort effort) {
    return effort == Effort::kHigh ? 131072 : 32768;
  }

  /// Learns a table from pieces of the data, some SampleBytes(effort) in total.
  static FsstEncoder Train(std::span<const std::string_view> sample,
                           Effort effort = Effort::kUsual);
  /// The same from the symbols of a table for similar data; in less than half the time.
  static FsstEncoder Adapt(std::span<const std::string> symbols,
                           std::span<const std::string_view> sample);

  /// Most bytes that `size` bytes can become.
  static constexpr uint64_t MaxCompressedSize(uint64_t size) { return 2 * size; }

  /// Compresses [text, text + size) into `out`, which has room for MaxCompressedSize(size), and
  /// returns the compressed size.
  uint64_t Compress(const uint8_t* text, uint64_t size, uint8_t* out) const;

  /// Compresses `count` strings, string i from bytes[offsets[i], offsets[i + 1]), to
  /// out[out_offsets[i], out_offsets[i + 1]) (count + 1 offsets). False, with anything in `out`, if
  /// it is too small. For Offset = uint32_t, uint64_t; the size of `out` must fit in it.
  template <typename Offset>
  bool CompressAll(const Offset* offsets, uint64_t count, const uint8_t* bytes, Offset* out_offsets,
                   std::span<uint8_t> out) const;

  /// kFsstTableBytes bytes.
  std::string SerializeTable() const;

  /// By code.
  const std::vector<std::string>& symbols() const { return symbols_; }

  /// A code and the number of bytes that it stands for.
  class Match {
   public:
    constexpr Match() = default;
    constexpr Match(uint8_t code, uint64_t length)
        : packed_(static_cast<uint16_t>(length << 8 | code)) {}
    uint8_t code() const { return static_cast<uint8_t>(packed_); }
    uint64_t length() const { return packed_ >> 8; }
    /// This, or `other` if `condition`; without a branch.
    Match OrIf(bool condition, Match other) const {
      Match match;
      const auto mask = static_cast<uint16_t>(-static_cast<int>(condition));
      match.packed_ = static_cast<uint16_t>(packed_ ^ ((packed_ ^ other.packed_) & mask));
      return match;
    }

   private:
    uint16_t packed_ = 0;
  };
  /// The longest symbol at a position whose next 8 bytes are `word`, with zeros after the end of
  /// the string.
  Match Find(uint64_t word) const;

  static constexpr uint8_t kEscape = 255;

 private:
  static constexpr uint32_t kHashBits = 12;
  static constexpr uint32_t kSlots = 1u << kHashBits;

  // Which symbol of several bytes a word may begin with. Looking one up takes no branches, which
  // would be mispredicted. kNone matches nothing.
  struct Key {
    uint64_t mask = 0;
    uint64_t bytes = 1;

    bool Matches(uint64_t word) const { return (word & mask) == bytes; }
  };
  static constexpr uint8_t kNone = 255;
  using SlotTable = std::array<uint8_t, kSlots>;

  explicit FsstEncoder(std::span<const std::string> candidates);
  static FsstEncoder Learn(std::span<const std::string_view> sample,
                           std::span<const std::string> symbols, std::span<const uint32_t> rounds);
  // Symbols that don't find a free slot, or hold a zero byte beside others, are left out. Without
  // the latter no symbol matches across the end of a string, where `word` goes on with zeros.
  bool Insert(const std::string& symbol);
  void FillTwoBytes();
  template <typename Offset>
  class Lane;
  // All strings to `out`, which has room for MaxCompressedSize of them; returns their size.
  template <typename Offset>
  uint64_t CompressGroup(const Offset* offsets, uint64_t count, const uint8_t* bytes,
                         const uint8_t* readable_end, Offset* out_offsets, uint8_t* out) const;

  // The following are by code.
  std::vector<std::string> symbols_;
  std::array<Key, 256> keys_;
  std::array<Match, 256> matches_;
  // Codes of symbols of 5 … 8 and of 3 or 4 bytes by the hash of their first bytes, at most one
  // to a slot.
  SlotTable long_;
  SlotTable middle_;
  std::array<Match, 256> one_byte_;
  // What to do with the first two bytes if nothing longer matches.
  std::vector<Match> two_bytes_;
};

}  // namespace lance::encoding
