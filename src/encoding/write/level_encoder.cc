#include "encoding/write/level_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/byte_reader.h"
#include "encoding/write/out_of_line_packing.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

constexpr uint32_t kLevelBits = 16;
/// A chunk header gives the size of a level buffer in 16 bits.
constexpr uint64_t kMaxLevelBytes = 65535;
/// A clear win of run lengths: below this part of the other size, or a page with few levels.
constexpr uint64_t kMaxRunsPercent = 75;
constexpr uint64_t kFewLevels = 4096;

uint64_t CountChanges(std::span<const uint16_t> levels) {
  uint32_t changes = 0;
  for (size_t i = 1; i < levels.size(); ++i) changes += levels[i] != levels[i - 1] ? 1 : 0;
  return changes;
}

template <typename Length>
uint64_t MaxRunBytes(uint64_t count, uint64_t changes) {
  constexpr uint64_t kMaxRun = std::numeric_limits<Length>::max();
  return sizeof(uint64_t) + (changes + 1 + count / kMaxRun) * (sizeof(uint16_t) + sizeof(Length));
}

// Calls `visit(level, length)` for each run, or part of one that is too long.
template <typename Length, typename Visit>
void ForEachRun(std::span<const uint16_t> levels, Visit&& visit) {
  constexpr uint64_t kMaxRun = std::numeric_limits<Length>::max();
  for (size_t start = 0; start < levels.size();) {
    size_t end = start + 1;
    const size_t limit = std::min<size_t>(levels.size(), start + kMaxRun);
    while (end < limit && levels[end] == levels[start]) ++end;
    visit(levels[start], static_cast<Length>(end - start));
    start = end;
  }
}

template <typename Length>
uint64_t RunBytes(std::span<const uint16_t> levels) {
  uint64_t bytes = sizeof(uint64_t);
  ForEachRun<Length>(levels, [&](uint16_t, Length) { bytes += sizeof(uint16_t) + sizeof(Length); });
  return bytes;
}

template <typename Length>
uint64_t EncodeRunLengths(std::span<const uint16_t> levels, uint8_t* out) {
  uint8_t* values = out + sizeof(uint64_t);
  uint8_t* at = values;
  // First all values, then all lengths: the lengths are found again in a second pass, which is
  // cheap for what has few runs.
  ForEachRun<Length>(levels, [&](uint16_t value, Length) {
    StoreLittleEndian(value, at);
    at += sizeof(value);
  });
  StoreLittleEndian<uint64_t>(static_cast<uint64_t>(at - values), out);
  ForEachRun<Length>(levels, [&](uint16_t, Length length) {
    StoreLittleEndian(length, at);
    at += sizeof(length);
  });
  return static_cast<uint64_t>(at - out);
}

}  // namespace

LevelEncoder LevelEncoder::Choose(std::span<const uint16_t> levels,
                                  std::span<const LevelSlice> slices, RunLengths run_lengths,
                                  RunLengthBytes widest) {
  uint32_t seen = 0;
  for (uint16_t level : levels) seen |= level;
  LevelEncoder encoder;
  const uint32_t width = static_cast<uint32_t>(std::bit_width(seen));
  uint64_t flat = 0;
  uint64_t packed = 0;
  for (const LevelSlice& slice : slices) {
    flat += slice.count * sizeof(uint16_t);
    packed += OutOfLinePackedSize<uint16_t>(slice.count, width);
  }
  uint64_t best = flat;
  if (width < kLevelBits && packed < best) {
    encoder.kind_ = Kind::kPacked;
    encoder.width_ = width;
    best = packed;
  }
  if (run_lengths == RunLengths::kNever) return encoder;
  const bool if_smaller = run_lengths == RunLengths::kIfSmaller || levels.size() <= kFewLevels;
  const uint64_t limit = if_smaller ? best : best * kMaxRunsPercent / 100;
  // With single bytes as lengths, and with two.
  uint64_t runs = 0;
  uint64_t wide_runs = widest == RunLengthBytes::kTwo ? 0 : limit;
  uint64_t largest = 0;
  for (const LevelSlice& slice : slices) {
    const uint64_t changes = CountChanges(levels.subspan(slice.first, slice.count));
    const uint64_t bytes = MaxRunBytes<uint8_t>(slice.count, changes);
    const uint64_t wide_bytes = MaxRunBytes<uint16_t>(slice.count, changes);
    runs += bytes;
    wide_runs += wide_bytes;
    largest = std::max({largest, bytes, wide_bytes});
    if (std::min(runs, wide_runs) >= limit) return encoder;
  }
  if (slices.size() > 1 && largest > kMaxLevelBytes) return encoder;
  encoder.kind_ = Kind::kRunLengths;
  if (wide_runs >= runs) return encoder;
  uint64_t exact_runs = 0;
  for (const LevelSlice& slice : slices) {
    exact_runs += RunBytes<uint8_t>(levels.subspan(slice.first, slice.count));
  }
  if (wide_runs < exact_runs) encoder.length_bytes_ = RunLengthBytes::kTwo;
  return encoder;
}

void LevelEncoder::Describe(encodings21::CompressiveEncoding* out) const {
  switch (kind_) {
    case Kind::kFlat:
      out->mutable_flat()->set_bits_per_value(kLevelBits);
      return;
    case Kind::kPacked: {
      auto* packed = out->mutable_out_of_line_bitpacking();
      packed->set_uncompressed_bits_per_value(kLevelBits);
      packed->mutable_values()->mutable_flat()->set_bits_per_value(width_);
      return;
    }
    case Kind::kRunLengths:
      out->mutable_rle()->mutable_values()->mutable_flat()->set_bits_per_value(kLevelBits);
      out->mutable_rle()->mutable_run_lengths()->mutable_flat()->set_bits_per_value(
          8 * static_cast<uint32_t>(length_bytes_));
      return;
  }
}

uint64_t LevelEncoder::MaxBytes(uint64_t count) const {
  switch (kind_) {
    case Kind::kFlat:
      return count * sizeof(uint16_t);
    case Kind::kPacked:
      return OutOfLinePackedSize<uint16_t>(count, width_);
    case Kind::kRunLengths:
      return sizeof(uint64_t) + count * (sizeof(uint16_t) + static_cast<uint64_t>(length_bytes_));
  }
  return 0;
}

uint64_t LevelEncoder::Encode(std::span<const uint16_t> levels, uint8_t* out) const {
  switch (kind_) {
    case Kind::kFlat:
      std::memcpy(out, levels.data(), levels.size_bytes());
      return levels.size_bytes();
    case Kind::kPacked:
      return PackOutOfLine<uint16_t>(levels, width_, out);
    case Kind::kRunLengths:
      return length_bytes_ == RunLengthBytes::kTwo ? EncodeRunLengths<uint16_t>(levels, out)
                                                   : EncodeRunLengths<uint8_t>(levels, out);
  }
  return 0;
}

}  // namespace lance::encoding
