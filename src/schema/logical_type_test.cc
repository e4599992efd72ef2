#include "schema/logical_type.h"

#include <vector>

#include "arrow/extension/json.h"
#include "arrow/extension/uuid.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "gtest/gtest.h"
#include "schema/schema.h"

namespace lance {
namespace {

using arrow::TimeUnit;
using TypePointer = std::shared_ptr<arrow::DataType>;

std::shared_ptr<arrow::Field> BFloat16Item() {
  return arrow::field(
      "item", arrow::fixed_size_binary(2), true,
      arrow::key_value_metadata({"ARROW:extension:name", "ARROW:extension:metadata"},
                                {"lance.bfloat16", ""}));
}

struct Pair {
  TypePointer type;
  std::string text;
};

std::vector<Pair> LeafPairs() {
  return {
      {arrow::null(), "null"},
      {arrow::boolean(), "bool"},
      {arrow::int8(), "int8"},
      {arrow::int16(), "int16"},
      {arrow::int32(), "int32"},
      {arrow::int64(), "int64"},
      {arrow::uint8(), "uint8"},
      {arrow::uint16(), "uint16"},
      {arrow::uint32(), "uint32"},
      {arrow::uint64(), "uint64"},
      {arrow::float16(), "halffloat"},
      {arrow::float32(), "float"},
      {arrow::float64(), "double"},
      {arrow::decimal128(38, 10), "decimal:128:38:10"},
      {arrow::decimal128(1, -2), "decimal:128:1:-2"},
      {arrow::decimal256(76, 0), "decimal:256:76:0"},
      {arrow::utf8(), "string"},
      {arrow::large_utf8(), "large_string"},
      {arrow::binary(), "binary"},
      {arrow::large_binary(), "large_binary"},
      {arrow::fixed_size_binary(16), "fixed_size_binary:16"},
      {arrow::fixed_size_binary(0), "fixed_size_binary:0"},
      {arrow::date32(), "date32:day"},
      {arrow::date64(), "date64:ms"},
      {arrow::time32(TimeUnit::SECOND), "time32:s"},
      {arrow::time32(TimeUnit::MILLI), "time32:ms"},
      {arrow::time64(TimeUnit::MICRO), "time64:us"},
      {arrow::time64(TimeUnit::NANO), "time64:ns"},
      {arrow::timestamp(TimeUnit::SECOND), "timestamp:s:-"},
      {arrow::timestamp(TimeUnit::MILLI, "UTC"), "timestamp:ms:UTC"},
      {arrow::timestamp(TimeUnit::MICRO, "Asia/Tokyo"), "timestamp:us:Asia/Tokyo"},
      {arrow::timestamp(TimeUnit::NANO, "+08:00"), "timestamp:ns:+08:00"},
      {arrow::duration(TimeUnit::SECOND), "duration:s"},
      {arrow::duration(TimeUnit::MILLI), "duration:ms"},
      {arrow::duration(TimeUnit::MICRO), "duration:us"},
      {arrow::duration(TimeUnit::NANO), "duration:ns"},
      {arrow::dictionary(arrow::int8(), arrow::utf8()), "dict:string:int8:false"},
      {arrow::dictionary(arrow::uint64(), arrow::float16()), "dict:halffloat:uint64:false"},
      {arrow::fixed_size_list(arrow::float32(), 768), "fixed_size_list:float:768"},
      {arrow::fixed_size_list(arrow::fixed_size_list(arrow::int8(), 2), 3),
       "fixed_size_list:fixed_size_list:int8:2:3"},
      {arrow::fixed_size_list(arrow::timestamp(TimeUnit::MICRO, "UTC"), 2),
       "fixed_size_list:timestamp:us:UTC:2"},
      {arrow::fixed_size_list(arrow::decimal128(9, 2), 4), "fixed_size_list:decimal:128:9:2:4"},
      {arrow::fixed_size_list(arrow::fixed_size_binary(9), 5),
       "fixed_size_list:fixed_size_binary:9:5"},
      {arrow::fixed_size_list(BFloat16Item(), 3), "fixed_size_list:lance.bfloat16:3"},
      {arrow::fixed_size_list(arrow::fixed_size_list(BFloat16Item(), 3), 2),
       "fixed_size_list:fixed_size_list:lance.bfloat16:3:2"},
  };
}

TEST(LogicalTypeTest, LeavesGoBothWays) {
  for (const Pair& pair : LeafPairs()) {
    EXPECT_EQ(LogicalTypeOf(*pair.type).ValueOrDie(), pair.text);
    TypePointer parsed = ParseLeafLogicalType(pair.text).ValueOrDie();
    EXPECT_TRUE(parsed->Equals(*pair.type, /*check_metadata=*/true)) << parsed->ToString();
    EXPECT_EQ(KindOfLogicalType(pair.text), FieldKind::kLeaf);
  }
}

TEST(LogicalTypeTest, ViewsAndOrderedDictionariesBecomeTheirBase) {
  EXPECT_EQ(LogicalTypeOf(*arrow::utf8_view()).ValueOrDie(), "string");
  EXPECT_EQ(LogicalTypeOf(*arrow::binary_view()).ValueOrDie(), "binary");
  EXPECT_EQ(LogicalTypeOf(*arrow::dictionary(arrow::int8(), arrow::utf8(), true)).ValueOrDie(),
            "dict:string:int8:false");
}

TEST(LogicalTypeTest, Parents) {
  TypePointer members = arrow::struct_({arrow::field("a", arrow::int8())});
  for (const Pair& pair :
       std::vector<Pair>{{members, "struct"},
                         {arrow::struct_({}), "struct"},
                         {arrow::list(arrow::int8()), "list"},
                         {arrow::list(members), "list.struct"},
                         {arrow::large_list(arrow::utf8()), "large_list"},
                         {arrow::large_list(members), "large_list.struct"},
                         {arrow::map(arrow::utf8(), arrow::int8()), "map"},
                         {arrow::fixed_size_list(members, 3), "fixed_size_list:struct:3"}}) {
    EXPECT_EQ(LogicalTypeOf(*pair.type).ValueOrDie(), pair.text);
    EXPECT_NE(KindOfLogicalType(pair.text), FieldKind::kLeaf);
  }
  EXPECT_EQ(ParseStructListDimension("fixed_size_list:struct:3").ValueOrDie(), 3);
  EXPECT_FALSE(ParseStructListDimension("fixed_size_list:struct:0").ok());
  EXPECT_FALSE(ParseStructListDimension("fixed_size_list:struct:x").ok());
}

TEST(LogicalTypeTest, OldBlobsAndJsonAreBinary) {
  EXPECT_TRUE(ParseLeafLogicalType("json").ValueOrDie()->Equals(*arrow::large_binary()));
  EXPECT_TRUE(ParseLeafLogicalType("blob").ValueOrDie()->Equals(*arrow::large_binary()));
  EXPECT_EQ(LogicalTypeOf(*arrow::extension::json(arrow::utf8())).ValueOrDie(), "json");
  EXPECT_EQ(LogicalTypeOf(*arrow::extension::uuid()).ValueOrDie(), "fixed_size_binary:16");
}

TEST(LogicalTypeTest, RefusesWhatCannotBeStored) {
  TypePointer members = arrow::struct_({arrow::field("a", arrow::int8())});
  for (const TypePointer& type : std::vector<TypePointer>{
           arrow::month_interval(),
           arrow::day_time_interval(),
           arrow::month_day_nano_interval(),
           arrow::decimal32(5, 2),
           arrow::decimal64(12, 4),
           arrow::list_view(arrow::int8()),
           arrow::large_list_view(arrow::int8()),
           arrow::dense_union({arrow::field("a", arrow::int8())}),
           arrow::sparse_union({arrow::field("a", arrow::int8())}),
           arrow::run_end_encoded(arrow::int32(), arrow::int8()),
           arrow::fixed_size_list(arrow::list(arrow::int8()), 2),
           arrow::fixed_size_list(arrow::large_list(arrow::int8()), 2),
           arrow::fixed_size_list(arrow::map(arrow::utf8(), arrow::int8()), 2),
           arrow::fixed_size_list(arrow::utf8_view(), 2),
           arrow::fixed_size_list(arrow::fixed_size_list(members, 2), 2),
           arrow::fixed_size_list(arrow::dictionary(arrow::int8(), arrow::utf8()), 2),
           arrow::map(arrow::utf8(), arrow::int8(), /*keys_sorted=*/true),
           arrow::dictionary(arrow::int8(), arrow::date32()),
           arrow::dictionary(arrow::int8(), arrow::fixed_size_binary(4)),
           arrow::dictionary(arrow::int8(), arrow::decimal128(5, 2)),
           arrow::dictionary(arrow::int8(), members),
           arrow::dictionary(arrow::int8(), arrow::list(arrow::int8()))}) {
    Status status = LogicalTypeOf(*type).status();
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported) << type->ToString();
    EXPECT_NE(status.message().find("Unsupported data type: "), std::string::npos) << status;
  }
  EXPECT_EQ(GetErrorCode(LogicalTypeOf(*arrow::fixed_size_list(arrow::int8(), 0)).status()),
            ErrorCode::kUserInput);
}

TEST(LogicalTypeTest, RefusesMalformedText) {
  for (const char* text : {"",
                           "int",
                           "INT32",
                           "int32 ",
                           "utf8",
                           "interval:month",
                           "struct",
                           "list",
                           "map",
                           "list.struct",
                           "fixed_size_list",
                           "fixed_size_list:",
                           "fixed_size_list:float",
                           "fixed_size_list:float:",
                           "fixed_size_list:float:x",
                           "fixed_size_list:float:0",
                           "fixed_size_list:float:-1",
                           "fixed_size_list:float:2147483648",
                           "fixed_size_list::4",
                           "fixed_size_list:struct:4",
                           "fixed_size_list:list:4",
                           "fixed_size_list:map:4",
                           "fixed_size_list:fixed_size_list:float:70000:70000",
                           "fixed_size_list:fixed_size_list:float:3",
                           "fixed_size_list:fixed_size_list:struct:2:3",
                           "fixed_size_binary:",
                           "fixed_size_binary:-1",
                           "fixed_size_binary:1x",
                           "timestamp",
                           "timestamp:",
                           "timestamp:us",
                           "timestamp:min:-",
                           "timestamp::-",
                           "decimal:128",
                           "decimal:128:10",
                           "decimal:128:0:0",
                           "decimal:128:39:0",
                           "decimal:256:77:0",
                           "decimal:32:5:2",
                           "decimal:128:10:2:1",
                           "decimal:128:10:200",
                           "decimal:128:x:2",
                           "dict:string:int8",
                           "dict:string:string:false",
                           "dict:struct:int8:false",
                           "dict:string:float:false",
                           "dict:dict:string:int8:false:int8:false",
                           "time32:us",
                           "duration:",
                           "date32"}) {
    Status status = ParseLeafLogicalType(text).status();
    EXPECT_FALSE(status.ok()) << text;
  }
  // Deep nesting ends before the stack does.
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "fixed_size_list:";
  deep += "int8";
  for (int i = 0; i < 100'000; ++i) deep += ":1";
  EXPECT_FALSE(ParseLeafLogicalType(deep).ok());
}

}  // namespace
}  // namespace lance
