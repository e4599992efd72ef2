#include "encoding/write/storage_array.h"

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/extension/uuid.h"
#include "arrow/json/from_string.h"

namespace lance::encoding {
namespace {

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

Result<std::shared_ptr<arrow::Array>> Convert(const std::shared_ptr<arrow::Array>& array,
                                              const std::shared_ptr<arrow::DataType>& wanted) {
  ARROW_ASSIGN_OR_RAISE(auto data,
                        ToStorageArray(array->data(), *wanted, "f", arrow::default_memory_pool()));
  return arrow::MakeArray(data);
}

TEST(StorageArrayTest, NothingIsCopiedWithoutNeed) {
  const auto array = FromJson(arrow::list(arrow::int32()), "[[1], null]");
  EXPECT_EQ(
      ToStorageArray(array->data(), *array->type(), "f", arrow::default_memory_pool()).ValueOrDie(),
      array->data());
}

TEST(StorageArrayTest, ViewsBecomeStrings) {
  const auto views =
      FromJson(arrow::list(arrow::utf8_view()),
               R"([["a", null, ""], null, ["a string that is too long to be in the view"]])");
  const auto wanted = arrow::list(arrow::utf8());
  const auto expected = FromJson(
      wanted, R"([["a", null, ""], null, ["a string that is too long to be in the view"]])");
  EXPECT_TRUE(Convert(views, wanted).ValueOrDie()->Equals(expected));
  EXPECT_TRUE(Convert(views->Slice(1), wanted).ValueOrDie()->Equals(expected->Slice(1)));
  const auto flat = FromJson(arrow::binary_view(), R"(["x", "y", null, "z"])")->Slice(1);
  EXPECT_TRUE(Convert(flat, arrow::binary())
                  .ValueOrDie()
                  ->Equals(FromJson(arrow::binary(), R"(["y", null, "z"])")));
}

TEST(StorageArrayTest, ExtensionTypesAreTakenOff) {
  const auto storage = FromJson(arrow::fixed_size_binary(16), R"(["0123456789abcdef", null])");
  const auto uuids = arrow::ExtensionType::WrapArray(arrow::extension::uuid(), storage);
  EXPECT_TRUE(Convert(uuids, storage->type()).ValueOrDie()->Equals(storage));
}

TEST(StorageArrayTest, NullsOfADictionaryMoveToTheKeys) {
  const auto type = arrow::dictionary(arrow::int16(), arrow::utf8());
  const auto items = FromJson(arrow::utf8(), R"(["a", null, "c"])");
  const auto keys = FromJson(arrow::int16(), "[9, 0, 1, null, 2]")->Slice(1);
  const auto array = arrow::DictionaryArray::FromArrays(type, keys, items).ValueOrDie();
  const auto got = Convert(array, type).ValueOrDie();
  EXPECT_EQ(got->null_count(), 2);
  const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*got);
  EXPECT_TRUE(dictionary.dictionary()->Equals(FromJson(arrow::utf8(), R"(["a", "c"])")));
  EXPECT_TRUE(dictionary.indices()->Equals(FromJson(arrow::int16(), "[0, null, null, 1]")));
}

TEST(StorageArrayTest, AnotherTypeNamesFieldAndBothTypes) {
  const auto got = Convert(FromJson(arrow::int64(), "[1]"), arrow::int32());
  ASSERT_EQ(GetErrorCode(got.status()), ErrorCode::kUserInput);
  for (const char* part : {"'f'", "int32", "int64"}) {
    EXPECT_NE(got.status().message().find(part), std::string::npos) << part;
  }
  const auto nested =
      Convert(FromJson(arrow::struct_({arrow::field("a", arrow::int8())}), R"([{"a": 1}])"),
              arrow::struct_({arrow::field("b", arrow::int8())}));
  EXPECT_EQ(GetErrorCode(nested.status()), ErrorCode::kUserInput);
  const auto sizes = Convert(FromJson(arrow::fixed_size_list(arrow::int8(), 2), "[[1, 2]]"),
                             arrow::fixed_size_list(arrow::int8(), 3));
  EXPECT_EQ(GetErrorCode(sizes.status()), ErrorCode::kUserInput);
}

TEST(StorageArrayTest, NamesOfListItemsDontMatter) {
  const auto array = FromJson(arrow::list(arrow::field("element", arrow::int32(), false)), "[[1]]");
  EXPECT_TRUE(Convert(array, arrow::list(arrow::int32())).ok());
}

}  // namespace
}  // namespace lance::encoding
