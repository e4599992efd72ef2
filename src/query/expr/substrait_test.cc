#include "query/expr/substrait.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/api.h"
#include "query/expr/binder.h"
#include "substrait.pb.h"

namespace lance::query {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<arrow::Schema> TestSchema() {
  return arrow::schema({arrow::field("i", arrow::int32()),
                        arrow::field("st", arrow::struct_({arrow::field("x y", arrow::utf8())}))});
}

/// A message with functions equal (1), and (2), foo (3).
substrait::ExtendedExpression NewMessage() {
  substrait::ExtendedExpression message;
  uint32_t anchor = 1;
  for (const char* name : {"equal:any_any", "and", "foo"}) {
    auto* function = message.add_extensions()->mutable_extension_function();
    function->set_function_anchor(anchor++);
    function->set_name(name);
  }
  return message;
}

void SetColumn(substrait::Expression* expression, std::initializer_list<int32_t> path) {
  auto* segment = expression->mutable_selection()->mutable_direct_reference();
  bool is_first = true;
  for (int32_t index : path) {
    if (!is_first) segment = segment->mutable_struct_field()->mutable_child();
    segment->mutable_struct_field()->set_field(index);
    is_first = false;
  }
}

substrait::Expression* AddArgument(substrait::Expression* call) {
  return call->mutable_scalar_function()->add_arguments()->mutable_value();
}

std::string Bound(const substrait::ExtendedExpression& message) {
  auto schema = TestSchema();
  auto syntax = ParseSubstrait(message.SerializeAsString(), *schema);
  if (!syntax.ok()) return syntax.status().message();
  auto filter = BindFilter(Source::WithoutText(), **syntax, *schema);
  return filter.ok() ? ToSql(**filter) : filter.status().message();
}

TEST(SubstraitTest, ColumnsLiteralsAndCalls) {
  auto message = NewMessage();
  auto* both = message.add_referred_expr()->mutable_expression();
  both->mutable_scalar_function()->set_function_reference(2);
  auto* number = AddArgument(both);
  number->mutable_scalar_function()->set_function_reference(1);
  SetColumn(AddArgument(number), {0});
  AddArgument(number)->mutable_literal()->set_i64(5);
  auto* text = AddArgument(both);
  text->mutable_scalar_function()->set_function_reference(1);
  SetColumn(AddArgument(text), {1, 0});
  AddArgument(text)->mutable_literal()->set_string("a'b");
  EXPECT_EQ(Bound(message), "(i = 5) AND (st.`x y` = 'a''b')");
}

TEST(SubstraitTest, TypesThatOnlyArrowHas) {
  auto message = NewMessage();
  uint32_t anchor = 0;
  for (const char* name : {"u8", "large_string", "large_binary", "interval_month"}) {
    auto* type = message.add_extensions()->mutable_extension_type();
    type->set_type_anchor(anchor++);
    type->set_name(name);
  }
  auto* equal = message.add_referred_expr()->mutable_expression();
  equal->mutable_scalar_function()->set_function_reference(1);
  auto* left = AddArgument(equal);
  SetColumn(left, {0});
  auto* literal = AddArgument(equal)->mutable_literal()->mutable_user_defined();
  auto set_number = [&](uint64_t value) {
    substrait::UnsignedValue number;
    number.set_value(value);
    literal->mutable_value()->set_value(number.SerializeAsString());
  };
  set_number(200);
  EXPECT_EQ(Bound(message), "i = 200");
  set_number(256);
  EXPECT_THAT(Bound(message), HasSubstr("is no uint8"));
  literal->set_type_reference(3);
  EXPECT_THAT(Bound(message), HasSubstr("the type 'interval_month'"));
  literal->set_type_reference(4);
  EXPECT_THAT(Bound(message), HasSubstr("uses type 4, which it does not declare"));
  SetColumn(left, {1, 0});
  substrait::TextValue text;
  text.set_value("a'b");
  literal->mutable_value()->set_value(text.SerializeAsString());
  literal->set_type_reference(1);
  EXPECT_THAT(Bound(message), HasSubstr("'a''b'"));
  literal->mutable_value()->set_value("\xff");
  EXPECT_THAT(Bound(message), HasSubstr("is no large_string"));
  auto* cast = left->mutable_cast();
  SetColumn(cast->mutable_input(), {0});
  cast->mutable_type()->mutable_user_defined()->set_type_reference(0);
  literal->set_type_reference(0);
  set_number(7);
  EXPECT_THAT(Bound(message), HasSubstr("'UInt8'"));
}

TEST(SubstraitTest, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(ParseSubstrait("nonsense", *TestSchema()).status().message(),
              HasSubstr("not a Substrait expression"));
  auto message = NewMessage();
  EXPECT_THAT(Bound(message), HasSubstr("has 0 expressions, expected one"));
  auto* expression = message.add_referred_expr()->mutable_expression();
  expression->mutable_scalar_function()->set_function_reference(9);
  EXPECT_THAT(Bound(message), HasSubstr("which it does not declare"));
  expression->mutable_scalar_function()->set_function_reference(1);
  EXPECT_THAT(Bound(message), HasSubstr("'equal' with 0 arguments"));
  expression->mutable_scalar_function()->set_function_reference(3);
  EXPECT_EQ(Bound(message), "there is no function 'foo'");
  SetColumn(expression, {7});
  EXPECT_THAT(Bound(message), HasSubstr("uses column 7, but there are 2"));
  SetColumn(expression, {0});
  EXPECT_THAT(Bound(message), HasSubstr("a filter must be a condition"));
}

TEST(SubstraitTest, NestingIsBounded) {
  auto message = NewMessage();
  auto* expression = message.add_referred_expr()->mutable_expression();
  for (int i = 0; i < 5000; ++i) {
    expression->mutable_scalar_function()->set_function_reference(3);
    expression = AddArgument(expression);
  }
  SetColumn(expression, {0});
  EXPECT_THAT(Bound(message), HasSubstr("not a Substrait expression"));
}

}  // namespace
}  // namespace lance::query
