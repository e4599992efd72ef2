#include "base/take_rows.h"

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/json/from_string.h"

namespace lance {
namespace {

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

std::string Taken(const std::shared_ptr<arrow::Array>& array, const std::string& rows) {
  const auto taken =
      TakeRows(array, FromJson(arrow::int64(), rows), arrow::default_memory_pool()).ValueOrDie();
  EXPECT_TRUE(taken->ValidateFull().ok());
  return taken->ToString();
}

TEST(TakeRows, SlicesOfNestedFixedSizeLists) {
  const auto lists = arrow::fixed_size_list(arrow::fixed_size_list(arrow::int16(), 2), 2);
  const auto array =
      FromJson(lists, "[[[1,2],[3,4]], [[5,6],[7,8]], [[9,10],[11,12]], [[13,14],[15,16]]]");
  const auto expected = FromJson(lists, "[[[13,14],[15,16]], [[9,10],[11,12]], null]")->ToString();
  EXPECT_EQ(Taken(array, "[3, 2, null]"), expected);
  EXPECT_EQ(Taken(array->Slice(1), "[2, 1, null]"), expected);
  EXPECT_EQ(Taken(array->Slice(2), "[1, 0, null]"), expected);
  const auto in_struct = arrow::StructArray::Make({array}, {"x"}).ValueOrDie();
  EXPECT_EQ(Taken(in_struct->Slice(2), "[1, 0]"), Taken(in_struct, "[3, 2]"));
  const auto outer = arrow::FixedSizeListArray::FromArrays(array, 2).ValueOrDie();
  EXPECT_EQ(Taken(outer->Slice(1), "[0]"), Taken(outer, "[1]"));
}

}  // namespace
}  // namespace lance
