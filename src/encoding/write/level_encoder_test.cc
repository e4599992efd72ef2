#include "encoding/write/level_encoder.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "encoding/read/block_decoder.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

using Levels = std::vector<uint16_t>;

std::vector<LevelSlice> SlicesOf(uint64_t total, uint64_t size) {
  std::vector<LevelSlice> slices;
  for (uint64_t first = 0; first < total; first += size) {
    slices.push_back({first, std::min(size, total - first)});
  }
  return slices;
}

// Encodes all slices and decodes them with the reader's decoder; returns the bytes that it took.
uint64_t RoundTrip(const Levels& levels, uint64_t slice_size, RunLengths run_lengths,
                   encodings21::CompressiveEncoding* encoding) {
  const auto slices = SlicesOf(levels.size(), slice_size);
  const LevelEncoder encoder = LevelEncoder::Choose(levels, slices, run_lengths);
  encoding->Clear();
  encoder.Describe(encoding);
  const auto decoder = MakeLevelDecoder(*encoding).ValueOrDie();
  uint64_t total = 0;
  for (const LevelSlice& slice : slices) {
    const std::span<const uint16_t> part(levels.data() + slice.first, slice.count);
    std::vector<uint8_t> bytes(encoder.MaxBytes(slice.count));
    bytes.resize(encoder.Encode(part, bytes.data()));
    total += bytes.size();
    Levels got(slice.count);
    const Status status =
        decoder->DecodeFixed(bytes, slice.count, reinterpret_cast<uint8_t*>(got.data()));
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(got, Levels(part.begin(), part.end()));
  }
  return total;
}

TEST(LevelEncoderTest, EverySizeAndWidthIsReadBack) {
  std::mt19937 random(3);
  encodings21::CompressiveEncoding encoding;
  for (uint32_t width : {1, 2, 3, 7, 15, 16}) {
    for (size_t count : {1, 2, 63, 64, 65, 128, 1023, 1024, 1025, 4096, 5000}) {
      Levels levels(count);
      for (uint16_t& level : levels) level = static_cast<uint16_t>(random() & ((1u << width) - 1));
      for (uint64_t slice : {uint64_t{7}, uint64_t{1024}, uint64_t{4096}}) {
        const uint64_t bytes = RoundTrip(levels, slice, RunLengths::kNever, &encoding);
        EXPECT_LE(bytes, 2 * count);
        EXPECT_FALSE(encoding.has_rle());
        EXPECT_LE(RoundTrip(levels, slice, RunLengths::kIfSmaller, &encoding), bytes);
      }
    }
  }
}

TEST(LevelEncoderTest, LongRunsUseRunLengthsWhereAllowed) {
  Levels levels(60000, 0);
  std::fill(levels.begin() + 20000, levels.begin() + 20600, 1);
  encodings21::CompressiveEncoding encoding;
  EXPECT_LT(RoundTrip(levels, 4096, RunLengths::kIfClearWin, &encoding), 1200u);
  EXPECT_TRUE(encoding.has_rle());
  EXPECT_EQ(encoding.rle().run_lengths().flat().bits_per_value(), 8u);
  RoundTrip(levels, 4096, RunLengths::kNever, &encoding);
  EXPECT_EQ(encoding.out_of_line_bitpacking().values().flat().bits_per_value(), 1u);
}

TEST(LevelEncoderTest, SixteenBitLevelsStayFlat) {
  std::mt19937 random(4);
  Levels levels(3000);
  for (uint16_t& level : levels) level = static_cast<uint16_t>(random() | 0x8000);
  encodings21::CompressiveEncoding encoding;
  EXPECT_EQ(RoundTrip(levels, 1024, RunLengths::kIfSmaller, &encoding), 6000u);
  EXPECT_EQ(encoding.flat().bits_per_value(), 16u);
}

// The bytes of one chunk are counted in 16 bits, so a bad chunk rules run lengths out.
TEST(LevelEncoderTest, RunLengthsOfAChunkFitSixteenBits) {
  Levels levels(500000, 0);
  for (size_t i = 0; i < 60000; ++i) levels[i] = i % 2;
  for (size_t i = 0; i < levels.size(); ++i) levels[i] += 1000;
  encodings21::CompressiveEncoding encoding;
  RoundTrip(levels, 65535, RunLengths::kIfSmaller, &encoding);
  EXPECT_FALSE(encoding.has_rle());
}

}  // namespace
}  // namespace lance::encoding
