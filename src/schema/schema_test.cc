#include "schema/schema.h"

#include <functional>
#include <vector>

#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "gtest/gtest.h"
#include "schema/metadata.h"

namespace lance {
namespace {

Field Leaf(int32_t id, std::string name, std::string logical_type = "int32") {
  Field field;
  field.id = id;
  field.name = std::move(name);
  field.logical_type = std::move(logical_type);
  return field;
}
Field Parent(int32_t id, std::string name, std::string logical_type, std::vector<Field> children) {
  Field field = Leaf(id, std::move(name), std::move(logical_type));
  field.children = std::move(children);
  return field;
}

TEST(SchemaTest, LeavesAreTheColumnsOfAFile) {
  // The example of spec/file-format.md §5.
  Schema schema;
  Field packed = Parent(9, "pk", "struct", {Leaf(10, "p"), Leaf(11, "q")});
  packed.metadata = arrow::key_value_metadata({"packed"}, {"TRUE"});
  schema.fields = {
      Parent(0, "s", "struct",
             {Leaf(1, "a"), Parent(2, "b", "struct",
                                   {Leaf(3, "c", "string"),
                                    Parent(4, "d", "list", {Leaf(5, "item", "double")})})}),
      Parent(6, "l", "list.struct", {Parent(7, "item", "struct", {Leaf(8, "k")})}),
      packed,
      Leaf(12, "z", "int64"),
  };
  std::vector<int32_t> ids;
  for (const Field* leaf : schema.Leaves()) ids.push_back(leaf->id);
  EXPECT_EQ(ids, (std::vector<int32_t>{1, 3, 5, 8, 9, 12}));
  EXPECT_EQ(schema.PreOrder().size(), 13u);
}

TEST(SchemaTest, WhatIsALeaf) {
  EXPECT_TRUE(Leaf(0, "a").IsLeaf());
  EXPECT_TRUE(Leaf(0, "a", "fixed_size_list:float:4").IsLeaf());
  EXPECT_TRUE(Leaf(0, "a", "struct").IsLeaf());
  EXPECT_FALSE(Parent(0, "a", "struct", {Leaf(1, "b")}).IsLeaf());
  EXPECT_FALSE(Parent(0, "a", "map", {Parent(1, "e", "struct", {Leaf(2, "k")})}).IsLeaf());
  EXPECT_FALSE(Parent(0, "a", "fixed_size_list:struct:2", {Parent(1, "e", "struct", {})}).IsLeaf());
  Field blob = Parent(0, "a", "struct", {Leaf(1, "data", "large_binary")});
  blob.metadata = arrow::key_value_metadata({"ARROW:extension:name"}, {"lance.blob.v2"});
  EXPECT_TRUE(blob.IsLeaf());
  for (const char* no : {"false", "0", "", "no"}) {
    Field field = Parent(0, "a", "struct", {Leaf(1, "b")});
    field.metadata = arrow::key_value_metadata({"lance-encoding:packed"}, {no});
    EXPECT_FALSE(field.IsPackedStruct()) << no;
  }
  Field list = Parent(0, "a", "list", {Leaf(1, "b")});
  list.metadata = arrow::key_value_metadata({"lance-encoding:packed"}, {"true"});
  EXPECT_FALSE(list.IsPackedStruct());
}

TEST(SchemaTest, ValidateAcceptsWhatIsUsual) {
  Schema schema;
  schema.fields = {Leaf(0, "a"), Parent(5, "s", "struct", {Leaf(2, "a"), Leaf(3, "b.c")}),
                   Leaf(4, ""), Leaf(-3, "_rowid", "uint64")};
  EXPECT_TRUE(schema.Validate().ok()) << schema.Validate();
  EXPECT_TRUE(Schema().Validate().ok());
}

TEST(SchemaTest, ValidateRefusesTheRest) {
  auto refused = [](std::vector<Field> fields) {
    Schema schema;
    schema.fields = std::move(fields);
    Status status = schema.Validate();
    EXPECT_FALSE(status.ok());
    EXPECT_NE(GetErrorDetail(status), nullptr);
    return status.message();
  };
  auto holds = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(holds(refused({Leaf(0, "a.b")}), "top level field a.b cannot contain '.'"));
  EXPECT_TRUE(holds(refused({Leaf(0, "a"), Leaf(1, "a")}), "duplicate field name 'a'"));
  EXPECT_TRUE(holds(refused({Leaf(1, "a"), Leaf(1, "b")}), "duplicate field id 1"));
  EXPECT_TRUE(holds(refused({Leaf(-1, "a")}), "invalid field id -1"));
  EXPECT_TRUE(holds(refused({Leaf(-3, "a")}), "invalid field id -3"));
  EXPECT_TRUE(holds(refused({Parent(0, "s", "struct", {Leaf(-3, "_rowid")})}), "invalid field id"));
  EXPECT_TRUE(holds(refused({Leaf(0, "a", "fixed_size_list:float:0")}), "at least 1"));
  EXPECT_TRUE(holds(refused({Leaf(0, "a", "no_type")}), "no_type"));
  EXPECT_TRUE(holds(refused({Parent(0, "a", "list", {})}), "0 children instead of 1"));
  EXPECT_TRUE(holds(refused({Parent(0, "a", "int8", {Leaf(1, "b")})}), "has children"));
}

TEST(SchemaTest, ValidateChecksPrimaryKeys) {
  auto check = [](const std::function<void(Field*)>& change) {
    Schema schema;
    Field key = Leaf(1, "key");
    key.nullable = false;
    key.unenforced_primary_key = true;
    schema.fields = {Parent(0, "s", "struct", {key})};
    schema.fields[0].nullable = false;
    change(&schema.fields[0]);
    return schema.Validate();
  };
  EXPECT_TRUE(check([](Field*) {}).ok());
  EXPECT_FALSE(check([](Field* top) { top->nullable = true; }).ok());
  EXPECT_FALSE(check([](Field* top) { top->children[0].nullable = true; }).ok());
  EXPECT_FALSE(check([](Field* top) { top->logical_type = "list"; }).ok());
  Status status = check([](Field* top) { top->unenforced_primary_key = true; });
  EXPECT_NE(status.message().find("must be a leaf"), std::string::npos);
  EXPECT_EQ(GetErrorDetail(status)->place.field, "s");
}

TEST(SchemaTest, StorageTypeErrorsNameThePath) {
  Field field = Parent(0, "s", "struct", {Parent(1, "l", "list", {Leaf(2, "item", "wrong")})});
  Status status = field.ArrowType().status();
  EXPECT_EQ(GetErrorDetail(status)->place.field, "s.l.item");
}

}  // namespace
}  // namespace lance
