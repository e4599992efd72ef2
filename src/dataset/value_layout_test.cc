#include "dataset/value_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "dataset/field_layout.h"
#include "dataset/new_columns.h"
#include "dataset/prepare_batch.h"
#include "schema/metadata.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using TypePtr = std::shared_ptr<arrow::DataType>;

ArrayPtr Make(const TypePtr& type, const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

std::vector<TypePtr> Layouts(bool text) {
  const TypePtr small = text ? arrow::utf8() : arrow::binary();
  const TypePtr large = text ? arrow::large_utf8() : arrow::large_binary();
  return {small, large, text ? arrow::utf8_view() : arrow::binary_view(),
          arrow::dictionary(arrow::int8(), small), arrow::dictionary(arrow::uint32(), large)};
}

ArrayPtr As(const ArrayPtr& values, const TypePtr& type) {
  auto changed = ToLayout(values, type, arrow::default_memory_pool());
  EXPECT_TRUE(changed.ok()) << changed.status();
  return changed.ok() ? *changed : values;
}

TEST(ValueLayout, AllToAll) {
  for (bool text : {true, false}) {
    const auto layouts = Layouts(text);
    const ArrayPtr plain =
        Make(layouts[0], R"(["a", null, "", "a text that fits into no view", "a", null, "z"])");
    for (const TypePtr& from : layouts) {
      for (const TypePtr& to : layouts) {
        for (int64_t offset : {0, 1, 3, 7}) {
          const ArrayPtr given = As(plain, from)->Slice(offset);
          const ArrayPtr got = As(given, to);
          ASSERT_TRUE(got->type()->Equals(*to));
          ASSERT_TRUE(got->ValidateFull().ok()) << got->ValidateFull() << from->ToString();
          ASSERT_TRUE(As(got, layouts[0])->Equals(*plain->Slice(offset)))
              << from->ToString() << " to " << to->ToString() << " from " << offset;
        }
      }
    }
  }
}

TEST(ValueLayout, SharesBytes) {
  const ArrayPtr plain =
      Make(arrow::utf8(), R"(["some text of some length", "other text, as long"])");
  const uint8_t* bytes = plain->data()->buffers[2]->data();
  EXPECT_EQ(As(plain, arrow::large_utf8())->data()->buffers[2]->data(), bytes);
  EXPECT_EQ(As(plain, arrow::utf8_view())->data()->buffers[2]->data(), bytes);
}

TEST(ValueLayout, NullsAmongTheValuesOfADictionary) {
  auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  auto dictionary = std::make_shared<arrow::DictionaryArray>(
      type, Make(arrow::int8(), "[0, 1, null, 2]"), Make(arrow::utf8(), R"(["a", null, "b"])"));
  for (const TypePtr& to : {arrow::utf8(), arrow::large_utf8()}) {
    EXPECT_TRUE(As(dictionary, to)->Equals(*Make(to, R"(["a", null, null, "b"])")));
  }
}

TEST(ValueLayout, KeysOutOfBounds) {
  auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  for (const char* keys : {"[0, 3]", "[0, -1]", "[1]"}) {
    auto dictionary = std::make_shared<arrow::DictionaryArray>(type, Make(arrow::int8(), keys),
                                                               Make(arrow::utf8(), R"(["a"])"));
    EXPECT_FALSE(ToLayout(dictionary, arrow::utf8(), arrow::default_memory_pool()).ok()) << keys;
  }
}

TEST(ValueLayout, TooManyValuesForTheKeys) {
  arrow::StringBuilder builder;
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(builder.Append(std::to_string(i)).ok());
  const ArrayPtr many = *builder.Finish();
  auto narrow = arrow::dictionary(arrow::int8(), arrow::utf8());
  auto status = ToLayout(many, narrow, arrow::default_memory_pool()).status();
  EXPECT_TRUE(IsLayoutOverflow(status));
  EXPECT_THAT(status.message(), testing::HasSubstr("200 different values"));
  EXPECT_THAT(status.message(), testing::HasSubstr("dictionary:int8:utf8"));
  auto wide = As(many, arrow::dictionary(arrow::uint8(), arrow::utf8()));
  // Of which few are in use.
  EXPECT_TRUE(As(wide->Slice(150, 20), narrow)->ValidateFull().ok());
}

TEST(ValueLayout, Decimals) {
  const ArrayPtr narrow = Make(arrow::decimal128(10, 2), R"(["1.25", null, "-99999999.99"])");
  const ArrayPtr wide = As(narrow, arrow::decimal256(10, 2));
  EXPECT_TRUE(As(wide, arrow::decimal128(10, 2))->Equals(*narrow));
  EXPECT_FALSE(ToLayout(narrow, arrow::decimal128(12, 2), arrow::default_memory_pool()).ok());
}

TEST(ValueLayout, NothingElse) {
  const ArrayPtr text = Make(arrow::utf8(), R"(["a"])");
  for (const TypePtr& type : {arrow::binary(), arrow::int8(), arrow::list(arrow::utf8())}) {
    EXPECT_FALSE(ToLayout(text, type, arrow::default_memory_pool()).ok()) << type->ToString();
  }
}

Field FieldOf(const std::shared_ptr<arrow::Field>& field) {
  return Schema::FromArrow(*arrow::schema({field}))->fields[0];
}

TEST(FieldLayout, ListsGetTheirOffsets) {
  const Field large = FieldOf(arrow::field("l", arrow::large_list(arrow::large_utf8())));
  const ArrayPtr lists = Make(arrow::list(arrow::utf8()), R"([["x"], null, [], ["y", null]])");
  auto changed = ToFieldLayout(large, lists->Slice(1), arrow::default_memory_pool());
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE((*changed)->ValidateFull().ok());
  EXPECT_TRUE((*changed)->Equals(
      *Make(arrow::large_list(arrow::large_utf8()), R"([null, [], ["y", null]])")));
}

TEST(PrepareBatch, ChecksWhatFilesDeclare) {
  auto declared = arrow::schema({arrow::field(
      "s", arrow::struct_({arrow::field(
               "a", arrow::large_utf8(), true,
               arrow::key_value_metadata({std::string(kExtensionNameKey)}, {"example.text"}))}))});
  const Schema file = *Schema::FromArrow(*declared);
  auto batch = [](const TypePtr& type, const char* json) {
    auto array = Make(type, json);
    return arrow::RecordBatch::Make(arrow::schema({arrow::field("s", type)}), array->length(),
                                    {array});
  };
  auto good = arrow::struct_({arrow::field("a", arrow::large_utf8())});
  auto bad = arrow::struct_({arrow::field("a", arrow::utf8())});
  EXPECT_TRUE(CheckDeclared(file, *batch(good, R"([{"a": "x"}])")).ok());
  auto status = CheckDeclared(file, *batch(bad, R"([{"a": "x"}])"));
  EXPECT_THAT(status.message(),
              testing::HasSubstr("'s.a' should be large_string with the extension "
                                 "example.text, but is string"));
  // Which is what preparing makes sure of.
  auto prepared = PrepareBatch(file, batch(bad, R"([{"a": "x"}])"), 0, JsonSource::kTrusted,
                               arrow::default_memory_pool());
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_TRUE(CheckDeclared(file, **prepared).ok());
}

TEST(NewColumns, SemanticTypesComeWithVersion23) {
  EXPECT_FALSE(UsesSemanticTypes(std::nullopt, FileVersion::kV2_1));
  EXPECT_FALSE(UsesSemanticTypes(std::nullopt, FileVersion::kV2_2));
  EXPECT_TRUE(UsesSemanticTypes(std::nullopt, FileVersion::kV2_3));
  EXPECT_TRUE(UsesSemanticTypes(true, FileVersion::kV2_1));
  EXPECT_FALSE(UsesSemanticTypes(false, FileVersion::kV2_3));
}

}  // namespace
}  // namespace lance
