#include "encoding/codec/zstd_frames.h"

#include <gtest/gtest.h>

#include <string>

#include "encoding/codec/general_compression.h"

namespace lance::encoding {
namespace {

TEST(ZstdFramesTest, FramesAreReadBack) {
  ZstdFrameWriter writer(3);
  for (size_t size : {1, 100, 100000, 1}) {
    const std::string text(size, 'x');
    std::string frame(ZstdFrameWriter::MaxFrameSize(size), '\0');
    frame.resize(
        writer.Write(AsBytes(text), reinterpret_cast<uint8_t*>(frame.data())).ValueOrDie());
    ASSERT_EQ(DecompressedSize(CompressionScheme::kZstd, AsBytes(frame)).ValueOrDie(), size);
    std::string got(size, '\0');
    ASSERT_TRUE(DecompressInto(CompressionScheme::kZstd, AsBytes(frame), size,
                               reinterpret_cast<uint8_t*>(got.data()))
                    .ok());
    EXPECT_EQ(got, text);
  }
}

TEST(ZstdFramesTest, EmptyInputIsAnEmptyFrame) {
  ZstdFrameWriter writer(3);
  EXPECT_EQ(writer.Write({}, nullptr).ValueOrDie(), 0u);
}

}  // namespace
}  // namespace lance::encoding
