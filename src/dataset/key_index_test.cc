#include "dataset/key_index.h"

#include <map>
#include <random>
#include <set>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type,
                                   const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

RowKeys Keys(const arrow::ArrayVector& columns) {
  return RowKeys::Of(columns, arrow::default_memory_pool()).ValueOrDie();
}

/// By row of `keys`: the rows of the index with the same key.
std::vector<std::set<uint32_t>> Find(const KeyIndex& index, const RowKeys& keys) {
  std::vector<std::set<uint32_t>> found(static_cast<size_t>(keys.size()));
  for (const KeyIndex::Hit& hit : index.Find(keys)) {
    for (uint32_t row = hit.row; row != KeyIndex::kNone; row = index.Next(row)) {
      found[static_cast<size_t>(hit.key)].insert(row);
    }
  }
  return found;
}

using Found = std::vector<std::set<uint32_t>>;

Found FindIn(const arrow::ArrayVector& source, const arrow::ArrayVector& wanted) {
  KeyIndex index;
  EXPECT_TRUE(index.Add(Keys(source)).ok());
  return Find(index, Keys(wanted));
}

TEST(KeyIndex, FindsEveryRowOfAKey) {
  auto source = Json(arrow::int64(), "[7, 8, 7, null, 9, 7]");
  auto wanted = Json(arrow::int64(), "[9, 7, 1, null]");
  EXPECT_EQ(FindIn({source}, {wanted}), (Found{{4}, {0, 2, 5}, {}, {}}));
  EXPECT_EQ(FindIn({source->Slice(3)}, {wanted->Slice(1, 1)}), (Found{{2}}));
}

TEST(KeyIndex, RowsAreNumberedOverSeveralBatches) {
  KeyIndex index;
  for (const char* json : {"[1, 2]", "[]", "[3, 1]"}) {
    ASSERT_TRUE(index.Add(Keys({Json(arrow::int32(), json)})).ok());
  }
  EXPECT_EQ(index.size(), 4u);
  EXPECT_EQ(Find(index, Keys({Json(arrow::int32(), "[1, 3]")})), (Found{{0, 3}, {2}}));
  KeyIndex empty;
  EXPECT_EQ(Find(empty, Keys({Json(arrow::int32(), "[1]")})), (Found{{}}));
}

TEST(KeyIndex, ManyTypes) {
  auto is_found = [](const std::shared_ptr<arrow::DataType>& type, const std::string& value,
                     const std::string& other) {
    SCOPED_TRACE(type->ToString());
    auto source = Json(type, "[null, " + value + "]");
    auto wanted = Json(type, "[" + other + ", " + value + ", null]");
    EXPECT_EQ(FindIn({source}, {wanted}), (Found{{}, {1}, {}}));
    // As one of two columns.
    auto numbers = Json(arrow::int16(), "[5, 6]");
    auto others = Json(arrow::int16(), "[6, 6, 6]");
    EXPECT_EQ(FindIn({source, numbers}, {wanted, others}), (Found{{}, {1}, {}}));
  };
  is_found(arrow::boolean(), "true", "false");
  is_found(arrow::int8(), "-1", "1");
  is_found(arrow::uint16(), "65535", "1");
  is_found(arrow::float32(), "1.5", "2.5");
  is_found(arrow::float64(), "-0.0", "0.0");
  is_found(arrow::date32(), "1", "2");
  is_found(arrow::decimal128(20, 2), "\"1.25\"", "\"1.26\"");
  is_found(arrow::fixed_size_binary(3), "\"abc\"", "\"abd\"");
  is_found(arrow::utf8(), "\"a\"", "\"\"");
  is_found(arrow::large_binary(), "\"ab\"", "\"abc\"");
  is_found(arrow::utf8_view(), "\"a rather long piece of text\"", "\"b\"");
  is_found(arrow::dictionary(arrow::int8(), arrow::utf8()), "\"x\"", "\"y\"");
  is_found(arrow::list(arrow::utf8()), R"(["a", null])", R"(["a"])");
  is_found(arrow::fixed_size_list(arrow::float32(), 2), "[1, 2]", "[1, null]");
  is_found(arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8())}),
           R"({"a": 1, "b": null})", R"({"a": null, "b": "1"})");
  is_found(arrow::map(arrow::utf8(), arrow::int32()), R"([["a", 1]])", R"([["a", 2]])");
}

/// Lengths keep ("a", "bc") and ("ab", "c") apart.
TEST(KeyIndex, ColumnsOfText) {
  auto first = Json(arrow::utf8(), R"(["a", "ab"])");
  auto second = Json(arrow::utf8(), R"(["bc", "c"])");
  EXPECT_EQ(FindIn({first, second}, {first, second}), (Found{{0}, {1}}));
}

TEST(KeyIndex, RefusesWhatHasNoBytes) {
  auto views = arrow::MakeArrayOfNull(arrow::list_view(arrow::int32()), 0).ValueOrDie();
  EXPECT_TRUE(RowKeys::Of({views}, arrow::default_memory_pool()).ok()) << "no row, no key";
  auto one = Json(arrow::list_view(arrow::int32()), "[[1]]");
  EXPECT_EQ(GetErrorCode(RowKeys::Of({one}, arrow::default_memory_pool()).status()),
            ErrorCode::kUnsupported);
}

TEST(KeyIndex, AsAMap) {
  std::mt19937 random(7);
  for (bool as_text : {false, true}) {
    std::map<int64_t, std::set<uint32_t>> expected;
    KeyIndex index;
    uint32_t row = 0;
    auto batch_of = [&](const std::vector<int64_t>& values) {
      arrow::Int64Builder numbers;
      arrow::StringBuilder texts;
      for (int64_t value : values) {
        EXPECT_TRUE(numbers.Append(value).ok());
        EXPECT_TRUE(texts.Append(std::to_string(value)).ok());
      }
      return Keys({as_text ? texts.Finish().ValueOrDie() : numbers.Finish().ValueOrDie()});
    };
    for (int batch = 0; batch < 5; ++batch) {
      std::vector<int64_t> values(random() % 3000);
      for (int64_t& value : values) {
        value = static_cast<int64_t>(random() % 5000) << (random() % 2 * 32);
        expected[value].insert(row++);
      }
      ASSERT_TRUE(index.Add(batch_of(values)).ok());
    }
    std::vector<int64_t> wanted;
    for (int64_t value = 0; value < 6000; ++value) wanted.push_back(value);
    auto found = Find(index, batch_of(wanted));
    for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(found[i], expected[wanted[i]]);
  }
}

}  // namespace
}  // namespace lance
