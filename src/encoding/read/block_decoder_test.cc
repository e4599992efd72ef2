#include "encoding/read/block_decoder.h"

#include <gtest/gtest.h>

#include "arrow/buffer.h"
#include "arrow/memory_pool.h"
#include "encoding/codec/general_compression.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

using encodings21::CompressiveEncoding;

CompressiveEncoding Flat(uint64_t bits) {
  CompressiveEncoding encoding;
  encoding.mutable_flat()->set_bits_per_value(bits);
  return encoding;
}

CompressiveEncoding Packed(uint64_t bits, uint64_t width) {
  CompressiveEncoding encoding;
  auto* packing = encoding.mutable_out_of_line_bitpacking();
  packing->set_uncompressed_bits_per_value(bits);
  *packing->mutable_values() = Flat(width);
  return encoding;
}

CompressiveEncoding Rle() {
  CompressiveEncoding encoding;
  *encoding.mutable_rle()->mutable_values() = Flat(16);
  *encoding.mutable_rle()->mutable_run_lengths() = Flat(8);
  return encoding;
}

CompressiveEncoding Lz4(const CompressiveEncoding& values) {
  CompressiveEncoding encoding;
  encoding.mutable_general()->mutable_compression()->set_scheme(
      encodings21::COMPRESSION_ALGORITHM_LZ4);
  *encoding.mutable_general()->mutable_values() = values;
  return encoding;
}

Status Decode(const CompressiveEncoding& encoding, const std::vector<uint8_t>& bytes,
              uint64_t count) {
  ARROW_ASSIGN_OR_RAISE(auto decoder, BlockDecoder::Make(encoding));
  return decoder->Decode(bytes, count, arrow::default_memory_pool()).status();
}

// What the counts of a damaged file ask for must not be allocated first and checked then.
TEST(BlockDecoder, CountsThatTheBytesCannotHold) {
  constexpr uint64_t kMany = uint64_t{1} << 40;
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  const int64_t before = pool->total_bytes_allocated();
  for (const auto& encoding :
       {Flat(64), Flat(16), Flat(1), Packed(64, 3), Packed(16, 0), Rle(), Lz4(Flat(32))}) {
    const Status status = Decode(encoding, std::vector<uint8_t>(100, 1), kMany);
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt) << encoding.compression_case();
  }
  EXPECT_LT(pool->total_bytes_allocated() - before, 1 << 20);
}

TEST(BlockDecoder, CountsThatTheBytesHold) {
  EXPECT_TRUE(Decode(Flat(64), std::vector<uint8_t>(80), 10).ok());
  EXPECT_TRUE(Decode(Flat(1), std::vector<uint8_t>(2), 13).ok());
  EXPECT_TRUE(Decode(Packed(16, 0), {}, 5000).ok());
  EXPECT_TRUE(Decode(Packed(64, 3), std::vector<uint8_t>(384), 1024).ok());
  // Two runs of 255 values.
  EXPECT_TRUE(Decode(Rle(), {4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 255, 255}, 510).ok());
}

// Found by fuzzing: what a small frame may hold at most was taken for what it holds.
TEST(BlockDecoder, CountsThatTheBytesOfAFrameCannotHold) {
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  const std::vector<uint8_t> plain(4000);
  auto frame = Compress(CompressionScheme::kLz4, plain, std::nullopt, pool).ValueOrDie();
  const std::vector<uint8_t> bytes(frame->data(), frame->data() + frame->size());
  EXPECT_TRUE(Decode(Lz4(Flat(32)), bytes, 1000).ok());
  const int64_t before = pool->total_bytes_allocated();
  EXPECT_EQ(GetErrorCode(Decode(Lz4(Flat(32)), bytes, 1001)), ErrorCode::kCorrupt);
  EXPECT_EQ(GetErrorCode(Decode(Lz4(Rle()), bytes, 200'000'000)), ErrorCode::kCorrupt);
  EXPECT_LT(pool->total_bytes_allocated() - before, 1 << 20);
}

TEST(BlockDecoder, CompressedTwiceIsRefused) {
  EXPECT_TRUE(BlockDecoder::Make(Lz4(Flat(32))).ok());
  const Status status = BlockDecoder::Make(Lz4(Lz4(Flat(32)))).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace lance::encoding
