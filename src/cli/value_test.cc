#include "cli/value.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/json/from_string.h"
#include "arrow/type.h"

namespace lance::cli {
namespace {

using Json = nlohmann::ordered_json;

std::shared_ptr<arrow::Array> Make(const std::shared_ptr<arrow::DataType>& type,
                                   const std::string& json) {
  auto array = arrow::json::ArrayFromJSONString(type, json);
  EXPECT_TRUE(array.ok()) << array.status();
  return *array;
}

std::string JsonOf(const std::shared_ptr<arrow::DataType>& type, const std::string& json) {
  return ToLine(ValueToJson(*Make(type, json), 0));
}
std::string TextOf(const std::shared_ptr<arrow::DataType>& type, const std::string& json) {
  return ValueToText(*Make(type, json), 0);
}

TEST(ValueToJson, Numbers) {
  EXPECT_EQ(JsonOf(arrow::int8(), "[-128]"), "-128");
  EXPECT_EQ(JsonOf(arrow::int64(), "[-9223372036854775808]"), "-9223372036854775808");
  EXPECT_EQ(JsonOf(arrow::uint64(), "[18446744073709551615]"), "18446744073709551615");
  EXPECT_EQ(JsonOf(arrow::boolean(), "[true]"), "true");
  EXPECT_EQ(JsonOf(arrow::float32(), "[0.1]"), "0.1");
  EXPECT_EQ(JsonOf(arrow::float64(), "[0.1]"), "0.1");
  EXPECT_EQ(JsonOf(arrow::float16(), "[0.5]"), "0.5");
  EXPECT_EQ(JsonOf(arrow::float32(), "[NaN]"), "\"NaN\"");
  EXPECT_EQ(JsonOf(arrow::float64(), "[-Inf]"), "\"-Infinity\"");
  EXPECT_EQ(JsonOf(arrow::decimal128(10, 2), "[\"-1.20\"]"), "\"-1.20\"");
  EXPECT_EQ(JsonOf(arrow::duration(arrow::TimeUnit::MILLI), "[5]"), "5");
}

TEST(ValueToJson, TextAndTimes) {
  EXPECT_EQ(JsonOf(arrow::utf8(), "[\"a\\n日\"]"), "\"a\\n日\"");
  EXPECT_EQ(JsonOf(arrow::utf8_view(), "[\"a view\"]"), "\"a view\"");
  EXPECT_EQ(JsonOf(arrow::large_utf8(), "[\"x\"]"), "\"x\"");
  EXPECT_EQ(JsonOf(arrow::binary(), "[\"abc\"]"), "\"YWJj\"");
  EXPECT_EQ(JsonOf(arrow::fixed_size_binary(2), "[\"ab\"]"), "\"YWI=\"");
  EXPECT_EQ(JsonOf(arrow::date32(), "[18262]"), "\"2020-01-01\"");
  EXPECT_EQ(JsonOf(arrow::timestamp(arrow::TimeUnit::SECOND), "[0]"), "\"1970-01-01T00:00:00\"");
  EXPECT_EQ(JsonOf(arrow::timestamp(arrow::TimeUnit::MILLI, "Asia/Tokyo"), "[1]"),
            "\"1970-01-01T00:00:00.001Z\"");
  EXPECT_EQ(JsonOf(arrow::time32(arrow::TimeUnit::SECOND), "[3661]"), "\"01:01:01\"");
}

TEST(ValueToJson, NullsAndNesting) {
  EXPECT_EQ(JsonOf(arrow::null(), "[null]"), "null");
  EXPECT_EQ(JsonOf(arrow::int32(), "[null]"), "null");
  EXPECT_EQ(JsonOf(arrow::list(arrow::int32()), "[[1, null, 3]]"), "[1,null,3]");
  EXPECT_EQ(JsonOf(arrow::list(arrow::int32()), "[[]]"), "[]");
  EXPECT_EQ(JsonOf(arrow::fixed_size_list(arrow::float32(), 2), "[[0.1, 2]]"), "[0.1,2.0]");
  auto type = arrow::struct_({arrow::field("b", arrow::int32()), arrow::field("a", arrow::utf8())});
  EXPECT_EQ(JsonOf(type, R"([{"b": 1, "a": null}])"), R"({"b":1,"a":null})");
  EXPECT_EQ(JsonOf(arrow::map(arrow::utf8(), arrow::int32()), R"([[["k", 1]]])"),
            R"([{"key":"k","value":1}])");
  EXPECT_EQ(JsonOf(arrow::dictionary(arrow::int8(), arrow::utf8()), R"(["v"])"), "\"v\"");
}

TEST(ValueToJson, SlicesCountFromTheirStart) {
  auto lists = Make(arrow::list(arrow::int32()), "[[1], [2, 3], [4]]")->Slice(1);
  EXPECT_EQ(ToLine(ValueToJson(*lists, 0)), "[2,3]");
  auto vectors = Make(arrow::fixed_size_list(arrow::int32(), 2), "[[1, 2], [3, 4]]")->Slice(1);
  EXPECT_EQ(ToLine(ValueToJson(*vectors, 0)), "[3,4]");
  auto structs =
      Make(arrow::struct_({arrow::field("a", arrow::int32())}), R"([{"a": 1}, {"a": 2}])")
          ->Slice(1);
  EXPECT_EQ(ToLine(ValueToJson(*structs, 0)), R"({"a":2})");
}

TEST(ValueToJson, MalformedTextIsReplaced) {
  EXPECT_EQ(ToLine(Json("a\xFF")), "\"a\xEF\xBF\xBD\"");
}

TEST(ValueToText, IsForPeople) {
  EXPECT_EQ(TextOf(arrow::utf8(), "[\"a \\\"b\\\"\"]"), "a \"b\"");
  EXPECT_EQ(TextOf(arrow::utf8(), "[null]"), "null");
  EXPECT_EQ(TextOf(arrow::binary(), "[\"\\u0001a\"]"), "0x0161");
  EXPECT_EQ(TextOf(arrow::float32(), "[0.1]"), "0.1");
  EXPECT_EQ(TextOf(arrow::float64(), "[NaN]"), "NaN");
  EXPECT_EQ(TextOf(arrow::timestamp(arrow::TimeUnit::SECOND), "[0]"), "1970-01-01 00:00:00");
  EXPECT_EQ(TextOf(arrow::decimal128(5, 1), "[\"2.5\"]"), "2.5");
  EXPECT_EQ(TextOf(arrow::list(arrow::utf8()), R"([["a", "b"]])"), R"(["a","b"])");
}

}  // namespace
}  // namespace lance::cli
