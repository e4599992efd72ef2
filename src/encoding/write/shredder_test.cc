#include "encoding/write/shredder.h"

#include <gtest/gtest.h>

#include <vector>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "encoding/write/page_layouts.h"

namespace lance::encoding {
namespace {

using arrow::field;
using Levels = std::vector<uint16_t>;

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

struct Shredded {
  Levels repetition;
  Levels definition;
  std::vector<int> layers;
  ShreddedRows rows;
};

// The column with number `leaf` of the arrays.
Shredded ShredAll(const std::vector<std::shared_ptr<arrow::Array>>& arrays, size_t leaf = 0) {
  const auto paths = LeafPathsOf(*field("f", arrays[0]->type()), kMinorVersion2_3).ValueOrDie();
  std::vector<std::shared_ptr<arrow::ArrayData>> data;
  data.reserve(arrays.size());
  for (const auto& array : arrays) data.push_back(array->data());
  Shredded out;
  out.rows = Shred(paths[leaf], data, arrow::default_memory_pool()).ValueOrDie();
  const auto repetition = out.rows.repetition.view();
  const auto definition = out.rows.definition.view();
  out.repetition.assign(repetition.begin(), repetition.end());
  out.definition.assign(definition.begin(), definition.end());
  google::protobuf::RepeatedField<int> layers;
  DescribeLayers(out.rows, &layers);
  out.layers.assign(layers.begin(), layers.end());
  return out;
}

Shredded ShredJson(const std::shared_ptr<arrow::DataType>& type, const std::string& json,
                   size_t leaf = 0) {
  return ShredAll({FromJson(type, json)}, leaf);
}

TEST(ShredderTest, FlatWithoutNullsHasNoLevels) {
  const Shredded got = ShredJson(arrow::int32(), "[1, 2, 3]");
  EXPECT_FALSE(got.rows.has_levels());
  EXPECT_EQ(got.layers, (std::vector<int>{1}));
  EXPECT_EQ(got.rows.num_values, 3u);
}

TEST(ShredderTest, FlatWithNulls) {
  const Shredded got = ShredJson(arrow::int32(), "[1, 2, null, 4]");
  EXPECT_EQ(got.definition, (Levels{0, 0, 1, 0}));
  EXPECT_TRUE(got.repetition.empty());
  EXPECT_EQ(got.layers, (std::vector<int>{3}));
  EXPECT_EQ(got.rows.num_values, 4u);
}

TEST(ShredderTest, ListWithNullAndEmpty) {
  const Shredded got = ShredJson(arrow::list(arrow::int32()), "[[1, 2], null, [], [3]]");
  EXPECT_EQ(got.repetition, (Levels{1, 0, 1, 1, 1}));
  EXPECT_EQ(got.definition, (Levels{0, 0, 1, 2, 0}));
  EXPECT_EQ(got.layers, (std::vector<int>{1, 6}));
  EXPECT_EQ(got.rows.num_values, 3u);
  EXPECT_EQ(got.rows.max_visible_definition, 0);
}

TEST(ShredderTest, FullListsHaveNoDefinition) {
  const Shredded got = ShredJson(arrow::large_list(arrow::int8()), "[[1, 2], [3], [4, 5, 6]]");
  EXPECT_EQ(got.repetition, (Levels{1, 0, 1, 1, 0, 0}));
  EXPECT_TRUE(got.definition.empty());
  EXPECT_EQ(got.layers, (std::vector<int>{1, 2}));
}

TEST(ShredderTest, StructAndLeafNulls) {
  const auto type = arrow::struct_({field("a", arrow::int32())});
  const Shredded got = ShredJson(type, R"([{"a": 1}, null, {"a": null}])");
  EXPECT_EQ(got.definition, (Levels{0, 2, 1}));
  EXPECT_EQ(got.layers, (std::vector<int>{3, 3}));
  EXPECT_EQ(got.rows.num_values, 3u);
}

TEST(ShredderTest, OnlyTheStructIsNull) {
  const auto type = arrow::struct_({field("a", arrow::int32())});
  const Shredded got = ShredJson(type, R"([{"a": 1}, null])");
  EXPECT_EQ(got.definition, (Levels{0, 2}));
  EXPECT_EQ(got.layers, (std::vector<int>{3, 3}));
}

TEST(ShredderTest, StructListStruct) {
  const auto type =
      arrow::struct_({field("l", arrow::list(arrow::struct_({field("x", arrow::int32())})))});
  const Shredded got = ShredJson(type, R"([{"l": [{"x": 1}, null]}, {"l": []}, {"l": null}, null,
                                          {"l": [{"x": null}]}])");
  EXPECT_EQ(got.repetition, (Levels{1, 0, 1, 1, 1, 1}));
  EXPECT_EQ(got.definition, (Levels{0, 2, 4, 3, 5, 1}));
  EXPECT_EQ(got.layers, (std::vector<int>{3, 3, 6, 3}));
  EXPECT_EQ(got.rows.max_visible_definition, 2);
  EXPECT_EQ(got.rows.num_values, 3u);
}

TEST(ShredderTest, ListOfLists) {
  const Shredded got =
      ShredJson(arrow::list(arrow::list(arrow::int32())), "[[[1], [2, 3]], [[], [4]], [], [null]]");
  EXPECT_EQ(got.repetition, (Levels{2, 1, 0, 2, 1, 2, 2}));
  EXPECT_EQ(got.layers, (std::vector<int>{1, 6, 5}));
  EXPECT_EQ(got.definition, (Levels{0, 0, 0, 2, 0, 3, 1}));
  EXPECT_EQ(got.rows.num_values, 4u);
}

TEST(ShredderTest, FixedSizeListOfStructsRepeatsItsNulls) {
  const auto type = arrow::fixed_size_list(arrow::struct_({field("x", arrow::int32())}), 2);
  const Shredded got = ShredJson(type, R"([[{"x": 1}, {"x": 2}], null])");
  ASSERT_EQ(got.definition.size(), 4u);
  EXPECT_EQ(got.definition[0], 0);
  EXPECT_EQ(got.definition[1], 0);
  EXPECT_EQ(got.definition[2], got.definition[3]);
  EXPECT_GT(got.definition[2], 0);
  EXPECT_EQ(got.rows.num_values, 4u);
}

// Beside lists they have levels like lists; null ones have items, too, null or empty lists don't.
TEST(ShredderTest, FixedSizeListOfStructsInAList) {
  const auto type = arrow::list(
      arrow::fixed_size_list(arrow::struct_({field("x", arrow::list(arrow::int32()))}), 2));
  const Shredded got =
      ShredJson(type, R"([[[{"x": [1, 2]}, {"x": []}], null], [], null, [[null, {"x": [3]}]]])");
  EXPECT_EQ(got.repetition, (Levels{3, 0, 1, 2, 1, 3, 3, 3, 1}));
  // Of the list x: null 1, empty 2; of the struct 3; of the vector 4; of the outer list 6 and 5.
  EXPECT_EQ(got.definition, (Levels{0, 0, 2, 4, 4, 6, 5, 3, 0}));
  EXPECT_EQ(got.rows.num_values, 3u);
}

TEST(ShredderTest, SlicesOfManyArraysEqualOneArray) {
  const auto type = arrow::list(arrow::struct_({field("x", arrow::list(arrow::int32()))}));
  const auto whole = FromJson(type, R"([[{"x": [1, 2]}, {"x": null}], null, [], [null, {"x": []}],
                                       [{"x": [3]}], [{"x": [4, null]}]])");
  const Shredded expected = ShredAll({whole});
  const Shredded got = ShredAll({whole->Slice(0, 1), whole->Slice(1, 3), whole->Slice(4)});
  EXPECT_EQ(got.repetition, expected.repetition);
  EXPECT_EQ(got.definition, expected.definition);
  EXPECT_EQ(got.layers, expected.layers);
  EXPECT_EQ(got.rows.num_values, expected.rows.num_values);
  // One array, used without a gap, is one slice.
  EXPECT_EQ(expected.rows.leaves.size(), 1u);
}

// Null lists with items, and items before and behind those in use.
TEST(ShredderTest, ItemsOfNullListsAreLeftOut) {
  const auto items = FromJson(arrow::int32(), "[9, 1, 8, 2, 3, 7]");
  const std::vector<int32_t> offsets = {1, 2, 3, 5};
  const uint8_t validity = 0b101;
  auto data = arrow::ArrayData::Make(
      arrow::list(arrow::int32()), 3,
      {arrow::Buffer::FromString(std::string(1, static_cast<char>(validity))),
       arrow::Buffer::FromString(std::string(reinterpret_cast<const char*>(offsets.data()), 16))},
      {items->data()});
  const Shredded got = ShredAll({arrow::MakeArray(data)});
  EXPECT_EQ(got.repetition, (Levels{1, 1, 1, 0}));
  EXPECT_EQ(got.definition, (Levels{0, 1, 0, 0}));
  ASSERT_EQ(got.rows.leaves.size(), 2u);
  EXPECT_EQ(got.rows.leaves[0].offset, 1);
  EXPECT_EQ(got.rows.leaves[0].length, 1);
  EXPECT_EQ(got.rows.leaves[1].offset, 3);
  EXPECT_EQ(got.rows.leaves[1].length, 2);
}

TEST(ShredderTest, NullTypeIsNullEverywhere) {
  const Shredded got = ShredJson(arrow::list(arrow::null()), "[[null, null], [], null]");
  EXPECT_EQ(got.repetition, (Levels{1, 0, 1, 1}));
  EXPECT_EQ(got.definition, (Levels{1, 1, 3, 2}));
  EXPECT_EQ(got.layers, (std::vector<int>{3, 6}));
}

TEST(LeafPathTest, UnsupportedTypesNameTheField) {
  auto error = [](const std::shared_ptr<arrow::DataType>& type, uint32_t version) {
    const auto paths = LeafPathsOf(*field("a", arrow::struct_({field("b", type)})), version);
    EXPECT_EQ(GetErrorCode(paths.status()), ErrorCode::kUnsupported);
    return ErrorText(paths.status());
  };
  const auto map = arrow::map(arrow::utf8(), arrow::int32());
  const auto structs = arrow::fixed_size_list(arrow::struct_({field("x", arrow::int32())}), 2);
  EXPECT_NE(error(map, kMinorVersion2_1).find("'a.b'"), std::string::npos);
  EXPECT_NE(error(structs, kMinorVersion2_1).find("'a.b'"), std::string::npos);
  EXPECT_NE(error(arrow::list(structs), kMinorVersion2_2)
                .find("need file version 2.3 or later: field 'a.b.item.item.x', version 2.2"),
            std::string::npos);
  EXPECT_NE(error(arrow::fixed_size_list(arrow::utf8(), 2), kMinorVersion2_0).find("'a.b'"),
            std::string::npos);
  EXPECT_NE(
      error(arrow::fixed_size_list(arrow::list(arrow::int8()), 2), kMinorVersion2_2).find("'a.b'"),
      std::string::npos);
  EXPECT_NE(error(arrow::dense_union({field("x", arrow::int32())}), kMinorVersion2_2).find("'a.b'"),
            std::string::npos);
  EXPECT_TRUE(LeafPathsOf(*field("a", map), kMinorVersion2_2).ok());
}

}  // namespace
}  // namespace lance::encoding
