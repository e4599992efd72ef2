#include "dataset/cast_columns.h"

#include "arrow/api.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

TEST(CastColumns, WhichCasts) {
  auto can = [](const auto& from, const auto& to) { return CanCast(*from, *to); };
  EXPECT_TRUE(can(arrow::int64(), arrow::uint8()));
  EXPECT_TRUE(can(arrow::float32(), arrow::float16()));
  EXPECT_TRUE(can(arrow::decimal128(10, 2), arrow::decimal256(40, 2)));
  EXPECT_TRUE(can(arrow::utf8(), arrow::large_utf8()));
  EXPECT_TRUE(can(arrow::timestamp(arrow::TimeUnit::MICRO), arrow::date32()));
  EXPECT_TRUE(can(arrow::list(arrow::int8()), arrow::large_list(arrow::int64())));
  EXPECT_TRUE(can(arrow::fixed_size_list(arrow::float32(), 4),
                  arrow::fixed_size_list(arrow::float16(), 4)));
  EXPECT_FALSE(can(arrow::int64(), arrow::float64()));
  EXPECT_FALSE(can(arrow::int64(), arrow::utf8()));
  EXPECT_FALSE(can(arrow::utf8(), arrow::binary()));
  EXPECT_FALSE(can(arrow::date32(), arrow::time32(arrow::TimeUnit::SECOND)));
  EXPECT_FALSE(can(arrow::fixed_size_list(arrow::float32(), 4),
                   arrow::fixed_size_list(arrow::float32(), 8)));
}

}  // namespace
}  // namespace lance
