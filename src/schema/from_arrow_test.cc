#include <vector>

#include "arrow/extension/json.h"
#include "arrow/extension/uuid.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "gtest/gtest.h"
#include "schema/metadata.h"
#include "schema/schema.h"

namespace lance {
namespace {

using FieldPointer = std::shared_ptr<arrow::Field>;

FieldPointer Int(const std::string& name, std::vector<std::string> keys = {},
                 std::vector<std::string> values = {}, bool nullable = true) {
  return arrow::field(
      name, arrow::int8(), nullable,
      keys.empty() ? nullptr : arrow::key_value_metadata(std::move(keys), std::move(values)));
}

Schema Convert(const std::vector<FieldPointer>& fields, int32_t first_id = 0) {
  return Schema::FromArrow(*arrow::schema(fields), first_id).ValueOrDie();
}

std::vector<int32_t> Ids(const Schema& schema) {
  std::vector<int32_t> ids;
  for (const Field* field : schema.PreOrder()) ids.push_back(field->id);
  return ids;
}

TEST(FromArrowTest, IdsArePreOrder) {
  Schema schema = Convert(
      {arrow::field("s", arrow::struct_({Int("a"), arrow::field("b", arrow::struct_({Int("c")}))})),
       Int("z"), arrow::field("l", arrow::list(Int("item"))),
       arrow::field("m", arrow::map(arrow::utf8(), arrow::int8()))},
      10);
  EXPECT_EQ(Ids(schema), (std::vector<int32_t>{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}));
  EXPECT_EQ(schema.MaxFieldId(), 20);
  EXPECT_EQ(schema.FindById(13)->name, "c");
  EXPECT_EQ(schema.FindById(99), nullptr);
  EXPECT_EQ(schema.FindByName("z")->id, 14);
  EXPECT_EQ(schema.FindByName("a"), nullptr);
  EXPECT_EQ(Convert({}).MaxFieldId(), -1);
}

// The reference gives a: 8, c: 9, e: 10 for this one.
TEST(FromArrowTest, PresetIdsAreKeptAndNewOnesFollowThem) {
  Schema schema =
      Convert({Int("a"), Int("b", {"lance:field_id", "z"}, {"7", "1"}),
               arrow::field("c", arrow::struct_({Int("d", {"lance:field_id"}, {"3"}), Int("e")}))});
  EXPECT_EQ(Ids(schema), (std::vector<int32_t>{8, 7, 9, 3, 10}));
  // The key itself isn't stored.
  EXPECT_EQ(schema.fields[1].metadata->ToString(),
            arrow::key_value_metadata({"z"}, {"1"})->ToString());
  EXPECT_EQ(schema.FindById(3)->metadata, nullptr);
  EXPECT_EQ(Ids(Convert({Int("a", {"lance:field_id"}, {"-7"})})), std::vector<int32_t>{0});
}

TEST(FromArrowTest, BadPresetIdsAreRefused) {
  auto convert = [](const FieldPointer& field) {
    return Schema::FromArrow(*arrow::schema({field})).status();
  };
  for (const char* text : {"abc", "", "1x", "2147483648"}) {
    Status status = convert(Int("a", {"lance:field_id"}, {text}));
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kUserInput) << text;
    EXPECT_EQ(GetErrorDetail(status)->place.field, "a");
  }
  EXPECT_TRUE(convert(Int("a", {"lance:field_id"}, {"2147483647"})).ok());
  EXPECT_FALSE(
      Schema::FromArrow(*arrow::schema({Int("a", {"lance:field_id"}, {"2147483647"}), Int("b")}))
          .ok());
}

TEST(FromArrowTest, RefusalsNameTheFieldByItsPath) {
  auto schema = arrow::schema({arrow::field(
      "s", arrow::struct_({arrow::field("l", arrow::list(arrow::decimal32(5, 2)))}))});
  Status status = Schema::FromArrow(*schema).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_EQ(GetErrorDetail(status)->place.field, "s.l.item");
  EXPECT_NE(ErrorText(status).find("decimal32(5, 2)"), std::string::npos);
}

TEST(FromArrowTest, KeysAreReadFromTheMetadata) {
  const std::string kBool(kPrimaryKeyKey);
  const std::string kPosition(kPrimaryKeyPositionKey);
  const std::string kClustering(kClusteringKeyPositionKey);
  struct Case {
    std::vector<std::string> keys, values;
    bool primary;
    uint32_t position, clustering;
  };
  for (const Case& test : std::vector<Case>{{{kBool}, {"1"}, true, 0, 0},
                                            {{kBool}, {"TRUE"}, true, 0, 0},
                                            {{kBool}, {"Y"}, true, 0, 0},
                                            {{kBool}, {"yes"}, true, 0, 0},
                                            {{kBool}, {"on"}, true, 0, 0},
                                            {{kBool}, {"0"}, false, 0, 0},
                                            {{kBool}, {""}, false, 0, 0},
                                            {{kBool}, {"truee"}, false, 0, 0},
                                            {{kPosition}, {"2"}, true, 2, 0},
                                            {{kPosition}, {"0"}, true, 0, 0},
                                            {{kPosition}, {"x"}, false, 0, 0},
                                            {{kBool, kPosition}, {"false", "3"}, true, 3, 0},
                                            {{kBool, kPosition}, {"true", "zz"}, true, 0, 0},
                                            {{kClustering}, {"4"}, false, 0, 4},
                                            {{kClustering}, {"x"}, false, 0, 0}}) {
    Schema schema = Convert({Int("a", test.keys, test.values, false)});
    const Field& field = schema.fields[0];
    EXPECT_EQ(field.unenforced_primary_key, test.primary) << test.values[0];
    EXPECT_EQ(field.unenforced_primary_key_position, test.position) << test.values[0];
    EXPECT_EQ(field.unenforced_clustering_key_position, test.clustering) << test.values[0];
    EXPECT_EQ(field.metadata->size(), static_cast<int64_t>(test.keys.size()));
  }
}

TEST(FromArrowTest, ExtensionTypesLeaveTheirNames) {
  Schema schema = Convert({arrow::field("u", arrow::extension::uuid())});
  EXPECT_EQ(schema.fields[0].logical_type, "fixed_size_binary:16");
  EXPECT_EQ(FindMetadata(schema.fields[0].metadata.get(), kExtensionNameKey), "arrow.uuid");
  EXPECT_EQ(FindMetadata(schema.fields[0].metadata.get(), kExtensionMetadataKey), "");
  auto back = schema.fields[0].ToArrow().ValueOrDie();
  EXPECT_TRUE(back->Equals(*arrow::field("u", arrow::extension::uuid()), true)) << back->ToString();
  EXPECT_TRUE(schema.fields[0].ArrowType().ValueOrDie()->Equals(*arrow::fixed_size_binary(16)));
}

TEST(FromArrowTest, ExtensionTypesKeepTheOtherMetadata) {
  auto field = arrow::field("u", arrow::extension::uuid(), false,
                            arrow::key_value_metadata({"unit"}, {"m"}));
  Schema schema = Convert({field});
  auto back = schema.fields[0].ToArrow().ValueOrDie();
  EXPECT_TRUE(back->Equals(*field, true)) << back->ToString(true);
}

TEST(FromArrowTest, UnknownExtensionsStayMetadata) {
  for (const FieldPointer& field : {Int("a", {"ARROW:extension:name", "k"}, {"my.extension", "v"}),
                                    // A name that is known, over a storage that it doesn't take.
                                    Int("a", {"ARROW:extension:name"}, {"arrow.uuid"})}) {
    auto back = Convert({field}).fields[0].ToArrow().ValueOrDie();
    EXPECT_TRUE(back->Equals(*field, true)) << back->ToString(true);
  }
}

TEST(FromArrowTest, ExtensionsInsideParents) {
  auto uuid = arrow::field("u", arrow::extension::uuid());
  for (const auto& type :
       {arrow::struct_({uuid}), arrow::list(uuid), arrow::large_list(arrow::struct_({uuid})),
        arrow::map(arrow::utf8(), arrow::extension::uuid()),
        arrow::fixed_size_list(arrow::field("el", arrow::struct_({uuid}), false), 2)}) {
    Schema schema = Convert({arrow::field("p", type)});
    auto back = schema.fields[0].ToArrow().ValueOrDie();
    EXPECT_TRUE(back->type()->Equals(*type, true)) << back->ToString(true);
    EXPECT_EQ(schema.fields[0].ArrowType().ValueOrDie()->ToString().find("extension<"),
              std::string::npos);
  }
}

TEST(FromArrowTest, JsonTextIsStoredAsBinaryJson) {
  struct Case {
    std::string name;
    std::shared_ptr<arrow::DataType> storage;
    std::string logical_type, stored_name;
  };
  // As the reference decides it, but for views, which it can't read back.
  for (const Case& test :
       std::vector<Case>{{"arrow.json", arrow::utf8(), "json", "lance.json"},
                         {"arrow.json", arrow::large_utf8(), "json", "lance.json"},
                         {"arrow.json", arrow::utf8_view(), "json", "lance.json"},
                         {"arrow.json", arrow::large_binary(), "large_binary", "arrow.json"},
                         {"lance.json", arrow::utf8(), "string", "lance.json"},
                         {"lance.json", arrow::binary(), "binary", "lance.json"},
                         {"lance.json", arrow::large_binary(), "json", "lance.json"}}) {
    Schema schema = Convert({arrow::field(
        "j", test.storage, true,
        arrow::key_value_metadata({"ARROW:extension:name", "ARROW:extension:metadata", "k"},
                                  {test.name, "{}", "v"}))});
    const Field& field = schema.fields[0];
    EXPECT_EQ(field.logical_type, test.logical_type) << test.name << test.storage->ToString();
    EXPECT_EQ(FindMetadata(field.metadata.get(), kExtensionNameKey), test.stored_name);
    EXPECT_EQ(FindMetadata(field.metadata.get(), kExtensionMetadataKey), "{}");
    EXPECT_EQ(FindMetadata(field.metadata.get(), "k"), "v");
  }
  // As an extension type, inside a list of structs.
  Schema schema = Convert({arrow::field("l", arrow::list(arrow::struct_({arrow::field(
                                                 "j", arrow::extension::json(arrow::utf8()))})))});
  const Field* json = schema.Leaves()[0];
  EXPECT_EQ(json->logical_type, "json");
  auto back = json->ToArrow().ValueOrDie();
  EXPECT_TRUE(back->type()->Equals(*arrow::large_binary()));
  EXPECT_EQ(FindMetadata(back->metadata().get(), kExtensionNameKey), "lance.json");
}

TEST(FromArrowTest, NestedNamesNullabilityAndMetadataAreKept) {
  auto item = arrow::field("elem", arrow::int8(), false, arrow::key_value_metadata({"k"}, {"v"}));
  auto entries = arrow::field("pairs",
                              arrow::struct_({arrow::field("kk", arrow::int8(), false),
                                              arrow::field("vv", arrow::utf8(), false)}),
                              false);
  auto schema = arrow::schema(
      {arrow::field("l", arrow::list(item)),
       arrow::field("m", std::make_shared<arrow::MapType>(entries)),
       arrow::field("f",
                    arrow::fixed_size_list(arrow::field("el", arrow::struct_({item}), false), 3))},
      arrow::key_value_metadata({"owner", ""}, {"me", "nobody"}));
  Schema converted = Schema::FromArrow(*schema).ValueOrDie();
  auto back = converted.ToArrow().ValueOrDie();
  EXPECT_TRUE(back->Equals(*schema, true)) << back->ToString(true);
  EXPECT_EQ(converted.fields[0].children[0].name, "elem");
  EXPECT_EQ(converted.fields[1].children[0].name, "pairs");
  EXPECT_EQ(converted.fields[1].children[0].children[1].name, "vv");
  EXPECT_EQ(back->field(1)->type()->field(0)->name(), "pairs");
}

TEST(FromArrowTest, ItemsOfFixedSizeListsLoseNameAndNullability) {
  Schema schema = Convert(
      {arrow::field("f", arrow::fixed_size_list(arrow::field("x", arrow::float32(), false), 3))});
  EXPECT_EQ(schema.fields[0].children.size(), 0u);
  auto back = schema.fields[0].ToArrow().ValueOrDie();
  EXPECT_TRUE(back->type()->field(0)->Equals(*arrow::field("item", arrow::float32())));
}

}  // namespace
}  // namespace lance
