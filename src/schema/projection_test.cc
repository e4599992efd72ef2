#include <vector>

#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "gtest/gtest.h"
#include "schema/schema.h"

namespace lance {
namespace {

using Names = std::vector<std::string>;

// z, s{a, b, c{d, e}}, l[{p, q}], m{k → v}, packed{u, v}, price, prize, "x y"
Schema Example() {
  auto number = [](const std::string& name) { return arrow::field(name, arrow::int64()); };
  auto inner = arrow::struct_({number("d"), number("e")});
  auto schema = arrow::schema(
      {number("z"),
       arrow::field("s", arrow::struct_({number("a"), number("b"), arrow::field("c", inner)})),
       arrow::field("l", arrow::list(arrow::struct_({number("p"), number("q")}))),
       arrow::field("m", arrow::map(arrow::utf8(), arrow::int8())),
       arrow::field("packed", arrow::struct_({number("u"), number("v")}), true,
                    arrow::key_value_metadata({"lance-encoding:packed"}, {"true"})),
       number("price"), arrow::field("t", arrow::struct_({number("a.b"), number("c`d")})),
       number("Z")},
      arrow::key_value_metadata({"owner"}, {"me"}));
  return Schema::FromArrow(*schema).ValueOrDie();
}

std::string Types(const Schema& schema) {
  std::string text;
  auto converted = schema.ToArrow().ValueOrDie();
  for (const auto& field : converted->fields()) {
    text += (text.empty() ? "" : ", ") + field->ToString();
  }
  return text;
}

std::string Project(const Names& columns) { return Types(Example().Project(columns).ValueOrDie()); }
std::string Refusal(const Names& columns) {
  Status status = Example().Project(columns).status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUserInput);
  return status.message();
}

TEST(ProjectionTest, TakesColumnsInTheGivenOrder) {
  EXPECT_EQ(Project({"price", "z"}), "price: int64, z: int64");
  EXPECT_EQ(Project({"Z", "z"}), "Z: int64, z: int64");
  EXPECT_EQ(Project({}), "");
  EXPECT_EQ(Example().Project({"z"}).ValueOrDie().metadata->value(0), "me");
}

TEST(ProjectionTest, KeepsIdsAndMetadata) {
  Schema projected = Example().Project({"s.c.e", "packed"}).ValueOrDie();
  EXPECT_EQ(projected.fields[0].id, 1);
  EXPECT_EQ(projected.fields[0].children[0].children[0].id, 6);
  EXPECT_TRUE(projected.fields[1].IsPackedStruct());
}

TEST(ProjectionTest, PathsIntoOneColumnAreMerged) {
  EXPECT_EQ(Project({"s.c.e"}), "s: struct<c: struct<e: int64>>");
  EXPECT_EQ(Project({"s.b", "z", "s.a"}), "s: struct<a: int64, b: int64>, z: int64");
  EXPECT_EQ(Types(Example().Project({"s.b", "z", "s.a"}, MemberOrder::kAsked).ValueOrDie()),
            "s: struct<b: int64, a: int64>, z: int64");
  EXPECT_EQ(Project({"s.a", "s"}), Project({"s"}));
  EXPECT_EQ(Project({"s.c", "s.c.d"}), "s: struct<c: struct<d: int64, e: int64>>");
  EXPECT_EQ(Project({"l.item.q"}), "l: list<item: struct<q: int64>>");
  EXPECT_EQ(Project({"l.item"}), Project({"l"}));
}

TEST(ProjectionTest, MapsStayWhole) {
  EXPECT_EQ(Project({"m.entries.key"}), Project({"m"}));
  EXPECT_EQ(Project({"m.entries"}), Project({"m"}));
}

TEST(ProjectionTest, BackTicksQuoteNames) {
  EXPECT_EQ(Project({"`z`"}), "z: int64");
  EXPECT_EQ(Project({"`s`.`a`"}), "s: struct<a: int64>");
  EXPECT_EQ(Project({"t.`a.b`"}), "t: struct<a.b: int64>");
  EXPECT_EQ(Project({"t.`c``d`"}), "t: struct<c`d: int64>");
  for (const char* path : {"s.`a", "`", "`s`a", "s..a", "s.", ".s", "", "``"}) {
    EXPECT_NE(Refusal({path}).find("invalid column path '" + std::string(path) + "'"),
              std::string::npos)
        << path;
  }
}

TEST(ProjectionTest, UnknownNamesOfferTheNearest) {
  EXPECT_EQ(Refusal({"pric"}), "column 'pric' not found; did you mean 'price'?");
  EXPECT_EQ(Refusal({"PRICE"}), "column 'PRICE' not found; did you mean 'price'?");
  EXPECT_EQ(Refusal({"s.c.x.y"}), "column 's.c.x.y' not found; there is 's.c.d', 's.c.e'");
  EXPECT_EQ(Refusal({"pakced.u"}), "column 'pakced.u' not found; did you mean 'packed'?");
  EXPECT_EQ(Refusal({"l.q"}), "column 'l.q' not found; there is 'l.item'");
  EXPECT_EQ(Refusal({"z.x"}), "column 'z.x' not found; its parent has no children");
  EXPECT_EQ(
      Refusal({"quantity"}),
      "column 'quantity' not found; there is 'z', 's', 'l', 'm', 'packed', 'price', 't', 'Z'");
}

TEST(ProjectionTest, ANameGivenTwiceIsRefused) {
  EXPECT_NE(Refusal({"z", "z"}).find("'z' is selected twice"), std::string::npos);
  EXPECT_NE(Refusal({"s.a", "`s`.a"}).find("selected twice"), std::string::npos);
  EXPECT_NE(Refusal({"m", "m.entries"}).find("selected twice"), std::string::npos);
}

TEST(ProjectionTest, MembersOfPackedStructs) {
  EXPECT_EQ(Project({"packed.v"}), "packed: struct<v: int64>");
  EXPECT_TRUE(Example().Project({"packed.v"}).ValueOrDie().fields[0].IsPackedStruct());
}

TEST(ProjectionTest, BlobsStayWhole) {
  auto place = arrow::struct_({arrow::field("position", arrow::uint64())});
  auto blob =
      arrow::field("b", place, true, arrow::key_value_metadata({"lance-encoding:blob"}, {"true"}));
  Schema schema = Schema::FromArrow(*arrow::schema({blob})).ValueOrDie();
  Status status = schema.Project({"b.position"}).status();
  EXPECT_NE(status.message().find("'b'; select that as a whole"), std::string::npos) << status;
}

TEST(ProjectionTest, ByIds) {
  Schema schema = Example();
  auto by_ids = [&schema](const std::vector<int32_t>& ids) {
    return Types(schema.ProjectByIds(ids));
  };
  auto id = [&schema](const std::string& path) {
    Schema one = schema.Project({path}).ValueOrDie();
    return one.PreOrder().back()->id;
  };
  EXPECT_EQ(by_ids({}), "");
  EXPECT_EQ(by_ids({0}), "z: int64");
  EXPECT_EQ(by_ids({id("price"), 0}), "z: int64, price: int64");
  EXPECT_EQ(by_ids({id("s.c.e"), id("s.a")}), "s: struct<a: int64, c: struct<e: int64>>");
  EXPECT_EQ(by_ids({id("l.item.q")}), "l: list<item: struct<q: int64>>");
  EXPECT_EQ(by_ids({id("m")}), Project({"m"}));
  // A packed struct is one column under its own id.
  EXPECT_EQ(by_ids({schema.FindByName("packed")->id}), Project({"packed"}));
  // A parent without any of its columns has nothing to show; unknown ids are nothing.
  EXPECT_EQ(by_ids({schema.FindByName("s")->id, 1000, -2}), "");
}

TEST(NearestNameTest, OffersOnlyWhatIsNear) {
  std::vector<std::string> names = {"price", "prize_id", "id", "dep_delay", "arr_delay", "x"};
  auto nearest = [&names](const std::string& name) {
    return NearestName(name, names).value_or("-");
  };
  EXPECT_EQ(nearest("pric"), "price");
  EXPECT_EQ(nearest("prize_di"), "prize_id");
  EXPECT_EQ(nearest("ID"), "id");
  EXPECT_EQ(nearest("de_delay"), "dep_delay");
  EXPECT_EQ(nearest("delay"), "-");
  EXPECT_EQ(nearest("y"), "-");
  EXPECT_EQ(nearest(""), "-");
  EXPECT_EQ(nearest("completely different"), "-");
  EXPECT_FALSE(NearestName("a", {}).has_value());
}

}  // namespace
}  // namespace lance
