#include "encoding/codec/general_compression.h"

#include <gtest/gtest.h>

#include <string>

#include "arrow/buffer.h"
#include "arrow/memory_pool.h"

namespace lance::encoding {
namespace {

constexpr CompressionScheme kSchemes[] = {CompressionScheme::kZstd, CompressionScheme::kLz4};

std::string Frame(CompressionScheme scheme, const std::string& text) {
  return Compress(scheme, AsBytes(text), std::nullopt, arrow::default_memory_pool())
      .ValueOrDie()
      ->ToString();
}

Status Read(CompressionScheme scheme, const std::string& frame, std::string* text = nullptr) {
  ARROW_ASSIGN_OR_RAISE(auto plain,
                        Decompress(scheme, AsBytes(frame), arrow::default_memory_pool()));
  if (text != nullptr) *text = plain->ToString();
  return Status::OK();
}

TEST(GeneralCompression, BothWays) {
  for (const CompressionScheme scheme : kSchemes) {
    for (const std::string& text : {std::string(), std::string("a"), std::string(100'000, 'x')}) {
      std::string read = "nothing";
      ASSERT_TRUE(Read(scheme, Frame(scheme, text), &read).ok());
      EXPECT_EQ(read, text);
    }
  }
}

// The length before a frame is only a claim: nothing is allocated for one that can't be true.
TEST(GeneralCompression, ClaimedLengths) {
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  for (const CompressionScheme scheme : kSchemes) {
    const std::string frame = Frame(scheme, std::string(1000, 'x'));
    const int64_t before = pool->total_bytes_allocated();
    for (size_t at = 0; at < 4; ++at) {
      std::string damaged = frame;
      damaged[at] = static_cast<char>(damaged[at] + 1);
      EXPECT_EQ(GetErrorCode(Read(scheme, damaged)), ErrorCode::kCorrupt) << at;
    }
    EXPECT_LT(pool->total_bytes_allocated() - before, 1 << 20);
  }
}

TEST(GeneralCompression, BareZstdFrames) {
  const std::string frame = Frame(CompressionScheme::kZstd, "some text, and some text");
  std::string read;
  ASSERT_TRUE(Read(CompressionScheme::kZstd, frame.substr(8), &read).ok());
  EXPECT_EQ(read, "some text, and some text");
}

TEST(GeneralCompression, CutFrames) {
  for (const CompressionScheme scheme : kSchemes) {
    const std::string frame =
        Frame(scheme, "a text that is long enough to have a frame of its own");
    for (size_t size = 1; size < frame.size(); ++size) {
      EXPECT_FALSE(Read(scheme, frame.substr(0, size)).ok()) << size;
    }
  }
}

}  // namespace
}  // namespace lance::encoding
