#include "query/expr/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "query/expr/lexer.h"
#include "query/expr/syntax.h"

namespace lance::query {
namespace {

using ::testing::HasSubstr;

/// The tree as text: `(+ a (* b c))`.
std::string Show(const Syntax& syntax) {
  std::string head = syntax.text;
  switch (syntax.kind) {
    case SyntaxKind::kLiteral:
      return "#";
    case SyntaxKind::kName:
      return syntax.quoted ? "`" + syntax.text + "`" : syntax.text;
    case SyntaxKind::kMember:
      head = "." + syntax.text;
      break;
    case SyntaxKind::kItem:
      head = "[]";
      break;
    case SyntaxKind::kNegative:
      head = "neg";
      break;
    case SyntaxKind::kNot:
      head = "not";
      break;
    case SyntaxKind::kConcat:
      head = "||";
      break;
    case SyntaxKind::kAnd:
      head = "and";
      break;
    case SyntaxKind::kOr:
      head = "or";
      break;
    case SyntaxKind::kDistinct:
      head = "distinct";
      break;
    case SyntaxKind::kIn:
      head = "in";
      break;
    case SyntaxKind::kBetween:
      head = "between";
      break;
    case SyntaxKind::kCase:
      head = "case";
      break;
    case SyntaxKind::kArray:
      head = "array";
      break;
    default:
      break;
  }
  if (syntax.negated) head = "not-" + head;
  std::string text = "(" + head;
  for (const SyntaxPtr& arg : syntax.args) text += " " + Show(*arg);
  return text + ")";
}

std::string Parse(std::string_view sql) {
  auto syntax = ParseSql(Source(sql));
  return syntax.ok() ? Show(**syntax) : syntax.status().message();
}

TEST(ParserTest, OperatorsBindAsInSql) {
  EXPECT_EQ(Parse("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(Parse("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(Parse("a or b and not c = d"), "(or a (and b (not (= c d))))");
  EXPECT_EQ(Parse("not a is null"), "(not (null a))");
  EXPECT_EQ(Parse("a == b != c"), "(<> (= a b) c)");
  EXPECT_EQ(Parse("a << b = c"), "(= (<< a b) c)");
  EXPECT_EQ(Parse("-a * b"), "(* (neg a) b)");
  EXPECT_EQ(Parse("a || b || c = d"), "(= (|| a b c) d)");
  EXPECT_EQ(Parse("a between b and c and d"), "(and (between a b c) d)");
  EXPECT_EQ(Parse("a not between b + c and d"), "(not-between a (+ b c) d)");
  EXPECT_EQ(Parse("a = b is true"), "(true (= a b))");
  EXPECT_EQ(Parse("a is not distinct from b + c"), "(not-distinct a (+ b c))");
  EXPECT_EQ(Parse("a not like b || c escape '!'"), "(not-like a (|| b c))");
  EXPECT_EQ(Parse("a::int + b"), "(+ (cast a) b)");
  EXPECT_EQ(Parse("a in (b, c) or d not in (e)"), "(or (in a b c) (not-in d e))");
}

TEST(ParserTest, OperandsOfEveryKind) {
  EXPECT_EQ(Parse("`a b`.c['d'][1]"), "([] ([] (.c `a b`) #) #)");
  EXPECT_EQ(Parse("'it''s' \" x\""), "#");
  EXPECT_EQ(Parse("[a, 1, null]"), "(array a # #)");
  EXPECT_EQ(Parse("LOWER(a)"), "(lower a)");
  EXPECT_EQ(Parse("now()"), "(now)");
  EXPECT_EQ(Parse("current_date"), "(current_date)");
  EXPECT_EQ(Parse("extract(YEAR from a)"), "(date_part # a)");
  EXPECT_EQ(Parse("case a when b then c else d end"), "(case (= a b) c d)");
  EXPECT_EQ(Parse("case when a then b end"), "(case a b)");
  EXPECT_EQ(Parse("cast(a as decimal(10, 2))"), "(cast a)");
  EXPECT_EQ(Parse("try_cast(a as bigint unsigned)"), "(try_cast a)");
  EXPECT_EQ(Parse("timestamp(3) '2021-01-01 00:00:00'"), "(cast #)");
  EXPECT_EQ(Parse("date"), "date") << "the name of a type is a column unless a string follows";
  EXPECT_EQ(Parse("a /* one */ + -- two\n b"), "(+ a b)");
}

TEST(ParserTest, ErrorsPointAtTheirPlace) {
  EXPECT_THAT(Parse("a = "), HasSubstr("expected a value, a column or a function, at the end"));
  EXPECT_THAT(Parse("a = )"), HasSubstr("at character 5 of the expression: ')'"));
  EXPECT_THAT(Parse("a b"),
              HasSubstr("expected an operator or the end of the expression, found 'b'"));
  EXPECT_THAT(Parse("é = 'x"), HasSubstr("not closed, at character 5 of the expression: ''x'"));
  EXPECT_THAT(Parse("a in ()"), HasSubstr("expected a value in the list of IN"));
  EXPECT_THAT(Parse("a = 12abc"), HasSubstr("letters follow a number"));
  EXPECT_THAT(Parse("cast(a as foo)"), HasSubstr("not a type of this dialect"));
  EXPECT_THAT(Parse("a ? b"), HasSubstr("a character that is not part of the filter language"));
  EXPECT_THAT(Parse("a is b"), HasSubstr("expected NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM"));
  EXPECT_THAT(Parse("x'0"), HasSubstr("not closed"));
  EXPECT_THAT(Parse("x'0'"), HasSubstr("hexadecimal"));
  EXPECT_THAT(Parse("/* a"), HasSubstr("a comment is not closed"));
  EXPECT_THAT(Parse(""), HasSubstr("at the end of the expression"));
}

TEST(ParserTest, NothingIsTooDeepForTheStack) {
  constexpr size_t kDeep = 100'000;
  auto repeated = [](std::string_view text) {
    std::string all;
    for (size_t i = 0; i < kDeep; ++i) all += text;
    return all;
  };
  for (const std::string& sql :
       {repeated("("), repeated("(") + "1" + repeated(")"), repeated("not ") + "a",
        repeated("- ") + "1", repeated("["), repeated("a("), repeated("case when "),
        "1" + repeated(" + 1"), "a" + repeated("[1]"), "a" + repeated("::int"),
        "a" + repeated(" is null")}) {
    EXPECT_THAT(Parse(sql), HasSubstr("nested more than 500 deep")) << sql.substr(0, 20);
  }
}

TEST(ParserTest, TextMustBeUtf8) {
  EXPECT_EQ(Parse("s = 'é'"), "(= s #)");
  for (const char* sql : {"s = '\xff'", "\xc3 = 1", "s = 'a' -- \xf2"}) {
    EXPECT_THAT(Parse(sql), HasSubstr("not valid UTF-8"));
  }
}

TEST(ParserTest, LongListsAreFlat) {
  constexpr size_t kLong = 100'000;
  std::string in = "a in (0";
  std::string chain = "a = 0";
  for (size_t i = 1; i < kLong; ++i) {
    in += "," + std::to_string(i);
    chain += " or a = " + std::to_string(i);
  }
  in += ")";
  EXPECT_EQ((*ParseSql(Source(in)))->args.size(), kLong + 1);
  EXPECT_EQ((*ParseSql(Source(chain)))->args.size(), kLong);
  std::string text(10 << 20, 'x');
  EXPECT_EQ(Parse("a = '" + text + "'"), "(= a #)");
  EXPECT_THAT(Parse("a = '" + text), HasSubstr("not closed"));
}

}  // namespace
}  // namespace lance::query
