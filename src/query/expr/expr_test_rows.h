#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "query/expr/binder.h"
#include "query/expr/evaluate.h"

namespace lance::query {

/// Rows of all types; the third is null throughout.
class ExprTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto field = [](const char* name, const std::shared_ptr<arrow::DataType>& type,
                    const char* json) {
      auto array = arrow::json::ArrayFromJSONString(type, json);
      EXPECT_TRUE(array.ok()) << name << ": " << array.status();
      return std::pair(arrow::field(name, type), *array);
    };
    auto st =
        arrow::struct_({arrow::field("x", arrow::int32()), arrow::field("y z", arrow::utf8())});
    std::vector columns = {
        field("i", arrow::int32(), "[1, 2, null, -5, 2147483647]"),
        field("l", arrow::int64(), "[1, 2, null, -5, 4611686018427387904]"),
        field("u8", arrow::uint8(), "[1, 2, null, 5, 255]"),
        field("u64", arrow::uint64(), "[1, 2, null, 5, 18446744073709551615]"),
        field("f", arrow::float64(), "[0.0, -0.0, null, NaN, Inf]"),
        field("f32", arrow::float32(), "[0.1, -0.0, null, NaN, -Inf]"),
        field("s", arrow::utf8(), R"(["a", "B_b", null, "héé%", ""])"),
        field("ls", arrow::large_utf8(), R"(["a", "B_b", null, "héé%", ""])"),
        field("b", arrow::boolean(), "[true, false, null, true, false]"),
        field("bin", arrow::binary(), R"(["ab", "", null, "abc", "x"])"),
        field("d", arrow::date32(), "[18628, -1, null, 18321, 2932896]"),
        field("ts", arrow::timestamp(arrow::TimeUnit::MICRO), "[0, 1, null, 1609459200000000, -1]"),
        field("t32", arrow::time32(arrow::TimeUnit::SECOND), "[0, 1, null, 3726, 86399]"),
        field("t64", arrow::time64(arrow::TimeUnit::MICRO), "[0, 1, null, 3726, 86399]"),
        field("dur", arrow::duration(arrow::TimeUnit::MICRO), "[0, 1, null, 3726, -86399]"),
        field("dec", arrow::decimal128(10, 2), R"(["1.50", "-1.50", null, "0.00", "99999999.99"])"),
        field("li", arrow::list(arrow::int32()), "[[1, 2], [], null, [null], [3]]"),
        field("lst", arrow::list(arrow::utf8()), R"([["a", "b"], [], null, [null], ["foo"]])"),
        field("st", st, R"([[1, "q"], [null, "r"], null, [3, null], [4, "t"]])"),
        field("ll", arrow::list(arrow::list(arrow::int64())),
              "[[[1, 2], [3]], [[], null], null, [[4]], []]"),
        field("lf", arrow::list(arrow::float64()), "[[1.5, NaN], [0, -0.0], null, [], [1e23]]"),
        field("fsl", arrow::fixed_size_list(arrow::int32(), 2),
              "[[1, 2], [3, 4], null, [5, null], [1, 1]]"),
        field("m", arrow::map(arrow::utf8(), arrow::int32()),
              R"([[["a", 1], ["b", null]], [], null, [["c", 3]], [["a", 9]]])"),
        field("Up", arrow::int64(), "[1, 2, 3, 4, 5]"),
    };
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    for (auto& [f, a] : columns) {
      fields.push_back(f);
      arrays.push_back(a);
    }
    batch = arrow::RecordBatch::Make(arrow::schema(fields), 5, arrays);
  }
  static void TearDownTestSuite() { batch = nullptr; }

  /// `0 3` or the error.
  static std::string Rows(std::string_view sql) {
    auto filter = BindSqlFilter(sql, *batch->schema());
    if (!filter.ok()) return filter.status().message();
    auto rows = MatchingRows(**filter, *batch, arrow::default_memory_pool());
    if (!rows.ok()) return rows.status().message();
    // The text of an expression means the same.
    std::string printed = ToSql(**filter);
    auto again = BindSqlFilter(printed, *batch->schema());
    EXPECT_TRUE(again.ok()) << printed << ": " << again.status();
    if (again.ok()) {
      EXPECT_EQ(ToSql(**again), printed);
      EXPECT_EQ(*MatchingRows(**again, *batch, arrow::default_memory_pool()), *rows) << printed;
    }
    std::string text;
    for (int64_t row : *rows) text += (text.empty() ? "" : " ") + std::to_string(row);
    return text;
  }

  /// `int32 [1, 2, null]` or the error.
  static std::string Values(std::string_view sql) {
    auto expr = BindSql(sql, *batch->schema());
    if (!expr.ok()) return expr.status().message();
    auto values = Evaluate(**expr, *batch, arrow::default_memory_pool());
    if (!values.ok()) return values.status().message();
    EXPECT_TRUE((*values)->ValidateFull().ok()) << (*values)->ValidateFull();
    EXPECT_EQ((*values)->length(), batch->num_rows());
    EXPECT_EQ((*values)->type()->ToString(), (*expr)->type->ToString());
    std::string text = (*values)->type()->ToString() + " [";
    for (int64_t i = 0; i < (*values)->length(); ++i) {
      auto value = *(*values)->GetScalar(i);
      text += (i == 0 ? "" : ", ") + (value->is_valid ? value->ToString() : "null");
    }
    return text + "]";
  }

  static std::string Error(std::string_view sql) {
    std::string text = Rows(sql);
    EXPECT_THAT(text, ::testing::HasSubstr("e")) << "no error for " << sql;
    return text;
  }
  static std::string Printed(std::string_view sql) {
    auto expr = BindSql(sql, *batch->schema());
    return expr.ok() ? ToSql(**expr) : expr.status().message();
  }

  static inline std::shared_ptr<arrow::RecordBatch> batch;
};

}  // namespace lance::query
