#pragma once

#include <cstdint>
#include <span>

#include "encoding/write/shredder.h"

namespace lance::encodings21 {
class CompressiveEncoding;
}

namespace lance::encoding {

/// Items [first, first + count) of a page: what one chunk holds of the levels.
struct LevelSlice {
  uint64_t first = 0;
  uint64_t count = 0;
};

/// Whether levels may be stored as run lengths.
enum class RunLengths : uint8_t {
  kNever,       ///< 2.1
  kIfClearWin,  ///< they are slower to read than packed levels
  kIfSmaller,
};

/// The widest run lengths of a version, in bytes.
enum class RunLengthBytes : uint8_t {
  kOne = 1,
  kTwo = 2,  ///< 2.3
};

/// How the chunks of a page store their repetition or definition levels: flat u16, out-of-line
/// bitpacking at one width for the page, or (2.2) run lengths. Chosen once, by size.
class LevelEncoder {
 public:
  static LevelEncoder Choose(std::span<const uint16_t> levels, std::span<const LevelSlice> slices,
                             RunLengths run_lengths, RunLengthBytes widest = RunLengthBytes::kOne);

  void Describe(encodings21::CompressiveEncoding* out) const;
  bool is_run_lengths() const { return kind_ == Kind::kRunLengths; }
  /// At least what Encode writes for so many levels.
  uint64_t MaxBytes(uint64_t count) const;
  /// Returns the number of bytes written.
  uint64_t Encode(std::span<const uint16_t> levels, uint8_t* out) const;

 private:
  enum class Kind : uint8_t { kFlat, kPacked, kRunLengths };

  Kind kind_ = Kind::kFlat;
  uint32_t width_ = 16;
  RunLengthBytes length_bytes_ = RunLengthBytes::kOne;
};

}  // namespace lance::encoding
