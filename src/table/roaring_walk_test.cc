#include "table/roaring_walk.h"

#include <random>

#include <set>
#include <vector>

#include "base/roaring_bitmap.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

std::string Serialize(RoaringBitmap bitmap, bool with_runs) {
  if (with_runs) bitmap.runOptimize();
  std::string bytes(bitmap.getSizeInBytes(/*portable=*/true), '\0');
  bitmap.write(bytes.data(), /*portable=*/true);
  return bytes;
}

/// The values, or nothing if the bytes are refused. The bytes are copied to a block of their exact
/// size, so that sanitizers see each read beyond them.
std::optional<std::vector<uint32_t>> Walk(std::string_view bytes) {
  std::vector<uint8_t> copy(bytes.begin(), bytes.end());
  std::vector<uint32_t> values;
  auto size = WalkRoaring(copy, [&](uint32_t first, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) values.push_back(static_cast<uint32_t>(first + i));
  });
  if (!size.ok()) {
    EXPECT_EQ(GetErrorCode(size.status()), ErrorCode::kCorrupt);
    return std::nullopt;
  }
  EXPECT_LE(*size, bytes.size());
  return values;
}

std::vector<uint32_t> ValuesOf(const RoaringBitmap& bitmap) {
  std::vector<uint32_t> values(bitmap.cardinality());
  bitmap.toUint32Array(values.data());
  return values;
}

RoaringBitmap MakeBitmap(uint32_t seed) {
  std::mt19937 random(seed);
  RoaringBitmap bitmap;
  uint32_t containers = random() % 7;
  for (uint32_t i = 0; i < containers; ++i) {
    uint32_t base = (random() % 40) << 16;
    switch (random() % 4) {
      case 0:  // a few values
        for (uint32_t k = random() % 20; k > 0; --k) bitmap.add(base + random() % 65536);
        break;
      case 1:  // many values: a bitmap container
        for (uint32_t k = 0; k < 12000; ++k) bitmap.add(base + random() % 65536);
        break;
      case 2:  // runs
        for (uint32_t at = random() % 99; at < 65000; at += 2000 + random() % 3000) {
          bitmap.addRange(base + at, base + at + 1 + random() % 1500);
        }
        break;
      default:  // everything
        bitmap.addRange(base, base + 65536);
    }
  }
  return bitmap;
}

TEST(WalkRoaring, EmptyAndFull) {
  EXPECT_EQ(Walk(Serialize(RoaringBitmap(), false)), std::vector<uint32_t>());
  RoaringBitmap all;
  all.addRange(0, uint64_t{1} << 32);
  uint64_t count = 0;
  std::string bytes = Serialize(all, true);
  ASSERT_TRUE(WalkRoaring(AsBytes(bytes), [&](uint32_t, uint64_t n) { count += n; }).ok());
  EXPECT_EQ(count, uint64_t{1} << 32);
}

TEST(WalkRoaring, ReadsWhatCRoaringWrites) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RoaringBitmap bitmap = MakeBitmap(seed);
    EXPECT_EQ(Walk(Serialize(bitmap, false)), ValuesOf(bitmap));
    EXPECT_EQ(Walk(Serialize(bitmap, true)), ValuesOf(bitmap));
  }
}

TEST(WalkRoaring, RefusesEveryTruncation) {
  RoaringBitmap bitmap;
  bitmap.add(3);
  bitmap.addRange(70000, 70100);
  for (uint32_t i = 0; i < 5000; ++i) bitmap.add((3u << 16) + 7 * i % 65536);
  for (bool with_runs : {false, true}) {
    std::string bytes = Serialize(bitmap, with_runs);
    ASSERT_TRUE(Walk(bytes));
    for (size_t size = 0; size < bytes.size(); ++size) {
      ASSERT_FALSE(Walk(std::string_view(bytes).substr(0, size))) << size;
    }
  }
}

/// What passes the walk is safe for the library and means the same there.
TEST(WalkRoaring, DamagedBytesAreRefusedOrSafe) {
  std::vector<std::string> whole;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    whole.push_back(Serialize(MakeBitmap(seed), seed % 2 == 0));
  }
  int refused = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::string bytes = whole[seed % whole.size()];
    for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
    auto values = Walk(bytes);
    if (!values) {
      ++refused;
      continue;
    }
    RoaringBitmap read = RoaringBitmap::readSafe(bytes.data(), bytes.size());
    ASSERT_EQ(ValuesOf(read), *values);
    ASSERT_EQ((read | RoaringBitmap()).cardinality(), values->size());
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace lance
