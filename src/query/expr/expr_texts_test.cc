#include "query/expr/expr_test_rows.h"

namespace lance::query {
namespace {

using ::testing::HasSubstr;

class ExprTextsTest : public ExprTest {};

TEST_F(ExprTextsTest, NumbersAndCharacters) {
  EXPECT_EQ(Values("to_hex(i)"), "string [1, 2, null, fffffffffffffffb, 7fffffff]");
  EXPECT_EQ(Values("to_hex(u64)"), "string [1, 2, null, 5, ffffffffffffffff]");
  EXPECT_EQ(Values("chr(u8 + 228)"), "string [å, æ, null, é, ǣ]");
  EXPECT_EQ(Rows("chr(128512) = '😀' and chr(8364) = '€' and chr(1114111) = '\U0010FFFF'"),
            "0 1 2 3 4");
  for (const char* code : {"-1", "55296", "57343", "1114112", "9223372036854775807"}) {
    EXPECT_THAT(Values(std::string("chr(") + code + ")"),
                HasSubstr(std::string("no character of number ") + code + ", at character 1"));
  }
  EXPECT_EQ(Values("factorial(u8 % 21)"), "int64 [1, 2, null, 120, 6]");
  EXPECT_EQ(Rows("factorial(20) = 2432902008176640000"), "0 1 2 3 4");
  EXPECT_THAT(Values("factorial(u8)"), HasSubstr("factorial(255) does not fit into int64"));
  EXPECT_THAT(Values("factorial(i)"), HasSubstr("of a negative number such as -5"));
}

TEST_F(ExprTextsTest, BytesInTexts) {
  EXPECT_EQ(Values("encode(bin, 'hex')"), "string [6162, , null, 616263, 78]");
  EXPECT_EQ(Values("encode(bin, 'base64')"), "string [YWI, , null, YWJj, eA]");
  EXPECT_EQ(Values("encode(ls, 'base64pad')"), "large_string [YQ==, Ql9i, null, aMOpw6kl, ]");
  EXPECT_EQ(Rows("decode(encode(s, 'base64'), 'base64pad') = cast(s as binary)"), "0 1 3 4");
  EXPECT_EQ(Rows("decode(upper(encode(s, 'hex')), 'hex') = cast(s as binary)"), "0 1 3 4");
  EXPECT_EQ(Rows("decode('YQ=', 'base64') = X'61' and decode('+/+/', 'base64') = X'FBFFBF'"),
            "0 1 2 3 4");
  for (const char* text : {"Y", "YR", "YQ===", "Y Q", "Y=Q", "YWJ", "YWJj=", "é"}) {
    EXPECT_THAT(Values(std::string("decode('") + text + "', 'base64')"),
                HasSubstr("is not base64, at character 1"))
        << text;
  }
  EXPECT_THAT(Values("decode('123', 'hex')"), HasSubstr("decode(): '123' is not hex"));
  EXPECT_THAT(Values("decode('1g', 'hex')"), HasSubstr("is not hex"));
  EXPECT_THAT(Values("encode(s, 'HEX')"), HasSubstr("'hex' | 'base64' | 'base64pad'"));
}

TEST_F(ExprTextsTest, PartsOfTexts) {
  EXPECT_EQ(Values("substr_index(concat('a.b.', s), '.', 2)"), "string [a.b, a.b, a.b, a.b, a.b]");
  EXPECT_EQ(Values("substring_index(concat('a.b.', s), '.', -1)"), "string [a, B_b, , héé%, ]");
  EXPECT_EQ(Rows("substr_index('aaaab', 'aa', 2) = 'aa' and substr_index('aaaaab', 'aa', -2) = "
                 "'aab' and substr_index('ab', 'x', -3) = 'ab' and substr_index('ab', '', 1) = ''"),
            "0 1 2 3 4");
  EXPECT_EQ(Rows("substr_index('a.b', '.', -9223372036854775808) = 'a.b'"), "0 1 2 3 4");
  EXPECT_EQ(Values("find_in_set(s, 'x,a,,B_b')"), "int32 [2, 4, null, 0, 3]");
  EXPECT_EQ(Rows("find_in_set('a,b', 'a,b') = 0"), "0 1 2 3 4");
  EXPECT_EQ(Values("levenshtein(s, 'hée%')"), "int32 [4, 4, null, 1, 4]");
  EXPECT_EQ(Values("levenshtein(ls, s)"), "int64 [0, 0, null, 0, 0]");
  EXPECT_THAT(Values("levenshtein(repeat(s, 100000), repeat('b', 100000))"),
              HasSubstr("levenshtein() of texts of 100000 and 100000 characters"));
  EXPECT_EQ(Values("overlay(s, 'XX', 2, 1)"), "string [aXX, BXXb, null, hXXé%, XX]");
  EXPECT_EQ(Values("overlay(s, 'é', 2)"), "string [aé, Béb, null, héé%, é]");
  EXPECT_EQ(Rows("overlay('abc', 'X', 3, -1) = 'abXbc' and overlay('abc', 'X', 2, "
                 "9223372036854775807) = 'aX'"),
            "0 1 2 3 4");
  EXPECT_THAT(Values("overlay(s, 'X', 0)"), HasSubstr("at character 1 or later, not at 0"));
}

TEST_F(ExprTextsTest, PatternsFromColumns) {
  EXPECT_EQ(Values("regexp_like('xaBx', s)"), "bool [true, false, null, false, true]");
  EXPECT_EQ(Values("regexp_like(ls, concat('^', ls, '$'))"), "bool [true, true, null, true, true]");
  EXPECT_EQ(Values("regexp_like('A', 'a', case when b then 'i' else null end)"),
            "bool [true, false, false, true, false]");
  EXPECT_EQ(Values("regexp_like(concat(s, 'A'), 'a', null)"),
            "bool [true, false, false, false, false]");
  EXPECT_EQ(Values("regexp_count('aaaB_b', s, u8)"), "int64 [3, 1, 0, 0, 0]");
  EXPECT_EQ(Values("regexp_count('aaaB_b', 'a', null)"), "int64 [3, 3, 3, 3, 3]");
  EXPECT_EQ(Values("regexp_count(s, null)"), "int64 [0, 0, 0, 0, 0]");
  EXPECT_EQ(Rows("regexp_match('xaB_bx', s) = ['B_b']"), "1");
  EXPECT_EQ(Values("regexp_replace('xaB_bxa', s, s || 'Z', case when i = 1 then 'g' else 'i' end)"),
            "string [xaZB_bxaZ, xaB_bZxa, null, xaB_bxa, ZxaB_bxa]");
  EXPECT_EQ(Values("regexp_replace(s, 'a', 'z', null)"), "string [null, null, null, null, null]");
  EXPECT_THAT(Values("regexp_like(s, case when b then 'a' else '(' end)"),
              HasSubstr("regular expression '(': a group is not closed, at character 1"));
}

TEST_F(ExprTextsTest, MatchesThatAreHardToFind) {
  const std::string hard = "(s || repeat('a', 500), 'a*a*a*a*a*b";
  EXPECT_EQ(Values("regexp_count" + hard + "')"), "int64 [0, 1, 0, 0, 0]");
  EXPECT_EQ(Rows("regexp_like" + hard + "')"), "1");
  EXPECT_EQ(Values("regexp_match" + hard + "')[1]"), "string [null, b, null, null, null]");
  EXPECT_EQ(Rows("regexp_replace" + hard + "', '', 'g') = s || repeat('a', 500)"), "0 3 4");
}

TEST_F(ExprTextsTest, MatchesBesideOtherCharacters) {
  EXPECT_EQ(Values("regexp_replace(s, '\\w+', '<$0>')"), "string [<a>, <B_b>, null, <héé>%, ]");
  EXPECT_EQ(Values("regexp_match(s, '(\\w)(\\W)')[2]"), "string [null, null, null, %, null]");
  EXPECT_EQ(Values("regexp_count(s, '[^a-z_]', 1, 'i')"), "int64 [0, 0, 0, 3, 0]");
  EXPECT_EQ(Values("regexp_replace(s, 'q|é+|b', '<$0>')"), "string [a, B_<b>, null, h<éé>%, ]");
}

TEST_F(ExprTextsTest, WhatIsNotTheSameEachTimeIsRefused) {
  EXPECT_THAT(Values("random()"), HasSubstr("random() has another value whenever it is computed"));
  EXPECT_THAT(Values("uuid()"), HasSubstr("uuid() has another value whenever"));
}

TEST_F(ExprTextsTest, CastsThatMayFailArePrintedAsSuch) {
  EXPECT_EQ(Printed("arrow_try_cast(s, 'LargeUtf8')"), "arrow_try_cast(s, 'LargeUtf8')");
  EXPECT_EQ(Printed("arrow_try_cast(s, 'Int32')"), "try_cast(s AS int)");
  EXPECT_EQ(Values("arrow_try_cast(s, 'Timestamp(s, \"UTC\")')"),
            "timestamp[s, tz=UTC] [null, null, null, null, null]");
  EXPECT_EQ(Printed("named_struct('a', 1, 'b', ['x'])"),
            "named_struct('a', 1, 'b', arrow_cast(['x'], 'List(Utf8)'))");
  EXPECT_EQ(Printed("m['a'] + 1"), "cast(m['a'] AS bigint) + 1");
}

}  // namespace
}  // namespace lance::query
