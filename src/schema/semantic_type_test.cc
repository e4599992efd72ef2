#include "schema/semantic_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/util/key_value_metadata.h"
#include "file.pb.h"
#include "schema/metadata.h"
#include "schema/semantic_schema.h"

namespace lance {
namespace {

using WireFields = google::protobuf::RepeatedPtrField<lance::file::Field>;

struct Alias {
  const char* logical_type;
  const char* canonical;
  const char* encoding;  // that it implies; empty: the default
};

std::string CanonicalOf(const char* logical_type) {
  auto type = ParseSemanticType(logical_type);
  return type.ok() ? type->name : type.status().ToString();
}

TEST(SemanticType, CanonicalNamesAndAliases) {
  for (const Alias& alias : {
           Alias{"string", "string", ""},
           {"large_string", "string", "large_utf8"},
           {"binary", "binary", ""},
           {"large_binary", "binary", "large_binary"},
           {"list", "list", ""},
           {"list.struct", "list", ""},
           {"large_list", "list", "large_list"},
           {"large_list.struct", "list", "large_list"},
           {"dict:string:int16:false", "string", "dictionary:int16:utf8"},
           {"dict:large_binary:uint8:false", "binary", "dictionary:uint8:large_binary"},
           {"decimal:128:10:2", "decimal:10:2", ""},
           {"decimal:256:10:2", "decimal:10:2", "decimal256"},
           {"decimal:256:40:-2", "decimal:40:-2", ""},
           {"decimal:10:2", "decimal:10:2", ""},
           {"json", "json", ""},
       }) {
    auto type = ParseSemanticType(alias.logical_type);
    ASSERT_TRUE(type.ok()) << type.status();
    EXPECT_EQ(type->name, alias.canonical);
    EXPECT_EQ(CanonicalOf(alias.canonical), alias.canonical);
    const std::string implied = EncodingOfLayout(alias.logical_type);
    const bool is_default = implied.empty() || implied == DefaultOutputEncoding(*type).name;
    EXPECT_EQ(is_default ? "" : implied, alias.encoding) << alias.logical_type;
  }
}

TEST(SemanticType, OthersKeepTheirNames) {
  for (const char* name :
       {"null", "bool", "int8", "uint64", "halffloat", "double", "date32:day", "date64:ms",
        "time32:s", "time64:ns", "duration:us", "timestamp:us:UTC", "struct", "map",
        "fixed_size_list:float:4", "fixed_size_list:lance.bfloat16:8", "fixed_size_list:struct:2",
        "fixed_size_binary:16"}) {
    auto type = ParseSemanticType(name);
    ASSERT_TRUE(type.ok()) << type.status();
    EXPECT_EQ(type->name, name);
    EXPECT_EQ(type->type_class(), SemanticClass::kUnchanged);
    EXPECT_FALSE(type->has_output_encodings());
  }
  EXPECT_EQ(ParseSemanticType("string")->type_class(), SemanticClass::kRepresentationOnly);
  EXPECT_EQ(ParseSemanticType("json")->type_class(), SemanticClass::kValueTransforming);
}

TEST(SemanticType, RefusesWhatIsNone) {
  for (const char* name :
       {"dict:int64:int8:false", "dict:string:int8:true", "dict:string:float:false", "dict:string",
        "decimal:10", "decimal:a:b", "decimal:0:0", "decimal:128:39:0", "decimal:77:0",
        "decimal:10:2:3:4", "text", "", "fixed_size_list:float:0"}) {
    EXPECT_FALSE(ParseSemanticType(name).ok()) << name;
  }
}

TEST(SemanticType, OutputEncodings) {
  auto string = *ParseSemanticType("string");
  EXPECT_EQ(DefaultOutputEncoding(string).name, "utf8");
  EXPECT_EQ(FindOutputEncoding(string, "large_utf8")->layout, "large_string");
  EXPECT_TRUE(FindOutputEncoding(string, "utf8_view")->is_view);
  EXPECT_EQ(FindOutputEncoding(string, "dictionary:int64:large_utf8")->layout,
            "dict:large_string:int64:false");
  for (const char* bad :
       {"binary", "dictionary:int8:utf8_view", "dictionary:int8:binary", "dictionary:float:utf8",
        "dictionary:int8", "dictionary:int8:utf8:x", ""}) {
    EXPECT_FALSE(FindOutputEncoding(string, bad).ok()) << bad;
  }
  auto narrow = *ParseSemanticType("decimal:38:2");
  auto wide = *ParseSemanticType("decimal:39:2");
  EXPECT_EQ(DefaultOutputEncoding(narrow).layout, "decimal:128:38:2");
  EXPECT_EQ(FindOutputEncoding(narrow, "decimal256")->layout, "decimal:256:38:2");
  EXPECT_EQ(DefaultOutputEncoding(wide).layout, "decimal:256:39:2");
  EXPECT_FALSE(FindOutputEncoding(wide, "decimal128").ok());
  EXPECT_EQ(OutputEncodingNames(wide), "decimal256");
  EXPECT_EQ(OutputEncodingNames(string), "utf8, large_utf8, utf8_view, dictionary:<key>:<value>");
}

TEST(SemanticType, AcceptedInputs) {
  auto string = *ParseSemanticType("string");
  auto binary = *ParseSemanticType("binary");
  auto decimal = *ParseSemanticType("decimal:10:2");
  for (const auto& type : {arrow::utf8(), arrow::large_utf8(), arrow::utf8_view(),
                           arrow::dictionary(arrow::int8(), arrow::large_utf8())}) {
    EXPECT_TRUE(string.Accepts(*type)) << type->ToString();
    EXPECT_FALSE(binary.Accepts(*type)) << type->ToString();
  }
  EXPECT_TRUE(string.Accepts(*arrow::dictionary(arrow::int8(), arrow::utf8_view())));
  EXPECT_FALSE(string.Accepts(*arrow::dictionary(arrow::int8(), arrow::int64())));
  EXPECT_TRUE(decimal.Accepts(*arrow::decimal128(10, 2)));
  EXPECT_TRUE(decimal.Accepts(*arrow::decimal256(10, 2)));
  EXPECT_FALSE(decimal.Accepts(*arrow::decimal128(12, 2)));
  EXPECT_FALSE(ParseSemanticType("int32")->Accepts(*arrow::int64()));
}

std::shared_ptr<arrow::Schema> Input() {
  return arrow::schema({
      arrow::field("plain", arrow::utf8()),
      arrow::field("large", arrow::large_utf8()),
      arrow::field("view", arrow::utf8_view()),
      arrow::field("lists", arrow::large_list(arrow::field(
                                "item", arrow::struct_({arrow::field("d", arrow::decimal256(9, 1)),
                                                        arrow::field("n", arrow::int8())})))),
  });
}

Schema Adopted() {
  auto input = Input();
  auto schema = Schema::FromArrow(*input);
  EXPECT_TRUE(schema.ok()) << schema.status();
  auto status = AdoptSemanticTypes(*input, &*schema);
  EXPECT_TRUE(status.ok()) << status;
  return *schema;
}

std::string EncodingEntry(const Field& field) {
  return std::string(FindMetadata(field.metadata.get(), kOutputEncodingKey).value_or(""));
}

TEST(SemanticSchema, GoesOverTheWireInCanonicalNames) {
  Schema schema = Adopted();
  WireFields wire;
  schema.ToProto(&wire);
  std::vector<std::string> names;
  for (const auto& field : wire) names.push_back(field.logical_type());
  EXPECT_THAT(names, testing::ElementsAre("string", "string", "string", "list", "struct",
                                          "decimal:9:1", "int8"));
  auto read = Schema::FromProto(wire, /*semantic_types=*/true);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->semantic_types);
  ASSERT_EQ(read->fields.size(), schema.fields.size());
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    EXPECT_EQ(read->fields[i].logical_type, schema.fields[i].logical_type);
    EXPECT_EQ(EncodingEntry(read->fields[i]), EncodingEntry(schema.fields[i]));
  }
  EXPECT_TRUE((*read->ToOutput())->Equals(*Input(), /*check_metadata=*/true))
      << (*read->ToOutput())->ToString(true);
  // Nobody else takes them for layouts.
  EXPECT_FALSE(Schema::FromProto(wire).ok());
}

TEST(SemanticSchema, RecordsLayoutsThatAreNoDefaults) {
  Schema schema = Adopted();
  EXPECT_EQ(EncodingEntry(schema.fields[0]), "");
  EXPECT_EQ(EncodingEntry(schema.fields[1]), "large_utf8");
  EXPECT_EQ(EncodingEntry(schema.fields[2]), "utf8_view");
  EXPECT_EQ(EncodingEntry(schema.fields[3]), "large_list");
  EXPECT_EQ(EncodingEntry(schema.fields[3].children[0].children[0]), "decimal256");
}

TEST(SemanticSchema, FilesHoldWhatIsGivenButViews) {
  auto input = Input();
  Schema files = StoredLayouts(*input, *Schema::FromArrow(*input));
  EXPECT_FALSE(files.semantic_types);
  EXPECT_EQ(files.fields[0].logical_type, "string");
  EXPECT_EQ(files.fields[1].logical_type, "large_string");
  EXPECT_EQ(files.fields[2].logical_type, "large_string");
  EXPECT_EQ(files.fields[3].logical_type, "large_list.struct");
  EXPECT_EQ(files.fields[3].children[0].children[0].logical_type, "decimal:256:9:1");
}

TEST(SemanticSchema, UpgradesAndKeepsTypes) {
  auto input = arrow::schema({
      arrow::field("l", arrow::large_utf8(), false,
                   arrow::key_value_metadata({std::string(kOutputEncodingKey)}, {"utf8"})),
      arrow::field("d", arrow::dictionary(arrow::int16(), arrow::utf8())),
  });
  Schema legacy = *Schema::FromArrow(*input);
  auto upgraded = WithSemanticTypes(legacy);
  ASSERT_TRUE(upgraded.ok()) << upgraded.status();
  // What it said before meant nothing.
  EXPECT_EQ(EncodingEntry(upgraded->fields[0]), "large_utf8");
  EXPECT_EQ(EncodingEntry(upgraded->fields[1]), "dictionary:int16:utf8");
  EXPECT_EQ((*upgraded->ToOutput())->field(0)->type()->id(), arrow::Type::LARGE_STRING);
  EXPECT_TRUE((*upgraded->ToOutput())->field(1)->Equals(input->field(1)));
}

TEST(SemanticSchema, AliasesOnTheWireAreUnderstood) {
  Schema legacy = *Schema::FromArrow(*Input());
  WireFields wire;
  legacy.ToProto(&wire);
  auto read = Schema::FromProto(wire, /*semantic_types=*/true);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(EncodingEntry(read->fields[1]), "large_utf8");
  EXPECT_EQ(CanonicalName(read->fields[1]), "string");
  EXPECT_EQ(read->fields[1].logical_type, "large_string");
}

TEST(SemanticSchema, OverridesByPath) {
  Schema schema = Adopted();
  auto changed = WithOutputEncodings(
      schema,
      {{"plain", "dictionary:int8:utf8"}, {"lists.item.d", "decimal128"}, {"lists", "list"}});
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_EQ(changed->fields[0].logical_type, "dict:string:int8:false");
  EXPECT_EQ(changed->fields[3].logical_type, "list.struct");
  EXPECT_EQ(changed->fields[3].children[0].children[0].logical_type, "decimal:128:9:1");
  EXPECT_FALSE(WithOutputEncodings(schema, {{"lists.item.n", "utf8"}}).ok());
  EXPECT_FALSE(WithOutputEncodings(schema, {{"nope", "utf8"}}).ok());
  auto widest = WidestEncodings(*changed);
  EXPECT_EQ(widest.at("`plain`"), "large_utf8");
  EXPECT_EQ(widest.at("`lists`"), "large_list");
  EXPECT_EQ(RewriteSchema(*changed).fields[0].logical_type, "large_string");
}

}  // namespace
}  // namespace lance
