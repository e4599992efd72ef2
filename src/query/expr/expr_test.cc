#include "query/expr/expr.h"

#include "query/expr/expr_test_rows.h"

namespace lance::query {
namespace {

using ::testing::HasSubstr;

TEST_F(ExprTest, ColumnsAreFoundByName) {
  EXPECT_EQ(Rows("i = 1"), "0");
  EXPECT_EQ(Rows("I = 1"), "0");
  EXPECT_EQ(Rows("up = 1"), "0");
  EXPECT_EQ(Rows("`Up` = 1"), "0");
  EXPECT_THAT(Error("`up` = 1"), HasSubstr("did you mean 'Up'?"));
  EXPECT_EQ(Rows("st.x = 3"), "3");
  EXPECT_EQ(Rows("st['y z'] = 'q'"), "0");
  EXPECT_EQ(Rows("st.`y z` = 'q'"), "0");
  EXPECT_THAT(Error("st.X = 3"), HasSubstr("there is no member 'X'; did you mean 'x'?"));
  EXPECT_THAT(Error("nope = 3"), HasSubstr("there is no column 'nope'"));
  EXPECT_THAT(Error("i.x = 1"), HasSubstr("which has no members, at character 3"));
  EXPECT_THAT(Error("st.nope = 1"), HasSubstr("there is no member 'nope'"));
  EXPECT_THAT(Error("(st) . xx = 1"), HasSubstr("did you mean 'x'?, at character 8"));
  EXPECT_EQ(Rows("li[1] = 1"), "0");
  EXPECT_EQ(Rows("li[-1] = 2"), "0");
  EXPECT_EQ(Rows("li[0] = 1"), "");
}

TEST_F(ExprTest, LiteralsTakeTheTypeOfTheColumnIfNothingIsLost) {
  EXPECT_EQ(Rows("f32 = 0.1"), "0");
  EXPECT_EQ(Rows("f = 0"), "0 1");
  EXPECT_EQ(Rows("dec = 1"), "");
  EXPECT_EQ(Rows("dec in (decimal(10, 2) '1.50', 1)"), "0");
  EXPECT_EQ(Rows("t32 = 3726"), "3");
  EXPECT_EQ(Rows("t32 = arrow_cast(3726, 'Time32(Second)')"), "3");
  EXPECT_EQ(Rows("t64 = time '00:00:00.003726'"), "3");
  EXPECT_EQ(Rows("u64 = 18446744073709551615"), "4");
  EXPECT_EQ(Rows("i = -5"), "3");
  EXPECT_EQ(Rows("d = date '2021-01-01'"), "0");
  EXPECT_EQ(Rows("ts = date '2021-01-01'"), "3");
  EXPECT_EQ(Rows("ts = timestamp(9) '1970-01-01 00:00:00.000001'"), "1");
  EXPECT_EQ(Rows("ts = timestamp(9) '1970-01-01 00:00:00.000000001'"), "");
  EXPECT_EQ(Rows("bin = X'6162'"), "0");
  EXPECT_EQ(Rows("i = cast(1.5 as int)"), "0");
  EXPECT_EQ(Rows("i > arrow_cast(1.5, 'Float64')"), "1 4") << "a cast says what is meant";
  for (const char* sql :
       {"i = 1.0",           "i = 1.5",  "i = '1'",       "i > 2147483648",
        "u8 > -1",           "u8 > 300", "u64 > -1",      "l = 9223372036854775808",
        "f = 'nan'",         "s > 5",    "s in (1)",      "d = '2021-01-01'",
        "ts = '2021-01-01'", "t64 = 1",  "dur = 1",       "dec = 1.50",
        "bin = 'abc'",       "b = 1",    "i in (1, 2.5)", "i between 1 and 2.5",
        "st.x = 1.5",        "ts = 1",   "d = 1",         "i = true"}) {
    EXPECT_THAT(Error(sql), HasSubstr("cannot be converted")) << sql;
  }
}

TEST_F(ExprTest, ConstantExpressionsAreNotLiterals) {
  EXPECT_EQ(Rows("(1.5 + 0) < i"), "1 4");
  EXPECT_EQ(Rows("i > -(1.5)"), "0 1 4");
  EXPECT_EQ(Values("(1.5 + 1) * i").substr(0, 14), "double [2.5, 5");
  EXPECT_EQ(Values("-(1.5) + i").substr(0, 12), "double [-0.5");
  EXPECT_EQ(Values("i + (2 - 1 - 1)").substr(0, 8), "int32 [1");
  EXPECT_EQ(Rows("pi() % 1.5 / u8 < 0.1"), "1 3 4");
  EXPECT_THAT(Error("i < -1.5"), HasSubstr("the literal of type double cannot be converted"));
}

TEST_F(ExprTest, BelowNotLiteralsAreComparedAsTheyAre) {
  EXPECT_EQ(Rows("not (i > 1.5)"), "0 3");
  EXPECT_EQ(Rows("not (f32 = 0.1)"), "0 1 3 4") << "as double";
  EXPECT_EQ(Rows("f32 = 0.1"), "0");
  EXPECT_THAT(Error("b and (i > 1.5 or b)"), HasSubstr("cannot be converted"));
}

TEST_F(ExprTest, FloatsHaveATotalOrder) {
  EXPECT_EQ(Rows("f = 0.0"), "0 1");
  EXPECT_EQ(Rows("f < 0.0"), "");
  EXPECT_EQ(Rows("f > 3"), "3 4");
  EXPECT_EQ(Rows("f = cast('nan' as double)"), "3");
  EXPECT_EQ(Rows("f in (cast('nan' as double), 0)"), "0 1 3");
  EXPECT_EQ(Rows("f <> 0"), "3 4");
  EXPECT_EQ(Rows("f between cast('nan' as double) and cast('nan' as double)"), "3");
}

TEST_F(ExprTest, OperandsMeetInACommonType) {
  EXPECT_EQ(Rows("i = l"), "0 1 3");
  EXPECT_EQ(Rows("u64 = l"), "0 1");
  EXPECT_EQ(Rows("u64 > l"), "3 4");
  EXPECT_EQ(Rows("i < f"), "3 4");
  EXPECT_EQ(Rows("s = ls"), "0 1 3 4");
  EXPECT_EQ(Rows("abs(i) = 1.5"), "");
  EXPECT_EQ(Rows("abs(i) in (1, '2')"), "0 1");
  EXPECT_EQ(Rows("length(s) > 1.5"), "1 3");
  EXPECT_EQ(Rows("i in (1, l)"), "0 1 3");
  EXPECT_EQ(Rows("ts >= d"), "1 3");
  EXPECT_EQ(Rows("li = [1, 2]"), "0");
  EXPECT_EQ(Rows("li <> [1, 2]"), "1 3 4");
  EXPECT_THAT(Error("b = i"), HasSubstr("values of type bool and int32 cannot be compared"));
  EXPECT_THAT(Error("li < [1]"), HasSubstr("have no '<'"));
  EXPECT_THAT(Error("upper(s) = 5"),
              HasSubstr("cannot cast 'A' of type string to int64, at character 1 of the "
                        "expression: 'upper(s) = 5'"));
}

TEST_F(ExprTest, NullsFollowThreeValuedLogic) {
  EXPECT_EQ(Rows("i is null"), "2");
  EXPECT_EQ(Rows("i is not null and st is not null"), "0 1 3 4");
  EXPECT_EQ(Rows("i = null"), "");
  EXPECT_EQ(Rows("i is not distinct from null"), "2");
  EXPECT_EQ(Rows("i is distinct from 1"), "1 2 3 4");
  EXPECT_EQ(Rows("i in (1, null)"), "0");
  EXPECT_EQ(Rows("i not in (1, null)"), "");
  EXPECT_EQ(Rows("not (i in (1, 2))"), "3 4");
  EXPECT_EQ(Rows("b is true"), "0 3");
  EXPECT_EQ(Rows("b is not true"), "1 2 4");
  EXPECT_EQ(Rows("b is unknown"), "2");
  EXPECT_EQ(Rows("b or i is null"), "0 2 3");
  EXPECT_EQ(Rows("not (b and i > 0)"), "1 3 4");
  EXPECT_EQ(Rows("(b or null) is null"), "1 2 4");
  EXPECT_EQ(Rows("(b and null) is null"), "0 2 3");
  EXPECT_EQ(Rows("i between null and 5"), "");
}

TEST_F(ExprTest, WhatIsNotNeededIsNotEvaluated) {
  EXPECT_THAT(Rows("10 / u8 > 1"), "0 1 3");
  EXPECT_THAT(Error("10 / i % 5 = 0 and 1 / (i - 1) = 0"), HasSubstr("division by zero"));
  EXPECT_EQ(Rows("i <> 1 and 1 / (i - 1) = 0"), "3 4");
  EXPECT_EQ(Rows("i = 1 or 1 / (i - 1) = 1"), "0 1");
  EXPECT_EQ(Rows("case when i = 1 then false else 1 / (i - 1) = 1 end"), "1");
  EXPECT_EQ(Rows("u8 > 1 and coalesce(try_cast(s as int), 1 / (u8 - 1)) = 0"), "3 4");
  EXPECT_EQ(Rows("false and 1 / 0 = 1"), "");
  EXPECT_EQ(Rows("true or 1 / 0 = 1"), "0 1 2 3 4");
}

TEST_F(ExprTest, InstantsOfTwoUnitsMeetWithoutLoss) {
  const std::string late = "arrow_cast(253402300799, 'Timestamp(Second, None)')";
  EXPECT_EQ(Rows("ts < " + late + " and " + late + " > timestamp(9) '2021-01-01 00:00:00.5'"),
            Rows("ts is not null"));
  EXPECT_EQ(Rows(late + " = arrow_cast(ts, 'Timestamp(Nanosecond, None)')"), "");
  EXPECT_EQ(Rows("arrow_cast(i, 'Duration(Second)') > arrow_cast(1500, 'Duration(Millisecond)')"),
            Rows("i > 1"));
  EXPECT_EQ(Rows("ts + arrow_cast(1, 'Duration(Second)') > ts"), Rows("ts is not null"));
  // Values of both meet in the coarser unit, which has all years.
  const std::string year1 = "arrow_cast(cast(d - 800000 as timestamp), 'Timestamp(us)')";
  const std::string nanos = "timestamp(9) '2000-01-01 00:00:00.000001001'";
  EXPECT_EQ(Rows(year1 + " in (" + nanos + ", timestamp '2000-01-01 00:00:00')"), "");
  EXPECT_EQ(Rows(year1 + " not in (" + nanos + ")"), Rows("d is not null"));
  EXPECT_EQ(Rows("ts in (" + nanos + ", timestamp '2021-01-01 00:00:00')"), "3");
  EXPECT_EQ(Rows("ts in (arrow_cast(ts, 'Timestamp(ns)'))"), Rows("ts is not null"));
  EXPECT_EQ(Values("coalesce(" + year1 + ", " + nanos + ")").substr(0, 14), "timestamp[us] ");
  EXPECT_EQ(Rows("greatest(" + year1 + ", " + nanos + ") is null"), "");
  EXPECT_EQ(Rows("nullif(" + year1 + ", " + nanos + ") is null"), "2");
  EXPECT_EQ(Values(year1 + " - " + nanos).substr(0, 13), "duration[us] ");
  EXPECT_EQ(Values("ts + arrow_cast(1001, 'Duration(ns)')").substr(0, 56),
            "timestamp[us] [1970-01-01 00:00:00.000001, 1970-01-01 00");
}

TEST_F(ExprTest, LocalTimesOfAZone) {
  auto seconds = [](const std::string& from) {
    return Values("cast(arrow_cast(" + from +
                  ", 'Timestamp(Second, Some(\"Asia/Tokyo\"))') as bigint) + 0 * l")
        .substr(0, 17);
  };
  EXPECT_EQ(seconds("'2021-01-01'"), "int64 [1609426800");
  EXPECT_EQ(seconds("'2021-01-01T00:00:00Z'"), "int64 [1609459200");
  EXPECT_EQ(seconds("'2021-01-01T00:00:00+09:00'"), "int64 [1609426800");
  EXPECT_EQ(seconds("date '2021-01-01'"), "int64 [1609426800");
  EXPECT_EQ(Values("cast('1970-01-01T03:00:00+09:00' as date)").substr(0, 25),
            "date32[day] [1969-12-31, ");
}

TEST_F(ExprTest, ShiftsOfLargeNumbers) {
  EXPECT_EQ(Values("arrow_cast(18446744073709551615, 'UInt64') >> 63").substr(0, 9), "uint64 [1");
}

TEST_F(ExprTest, DecimalsBecomeTheNearestDouble) {
  EXPECT_EQ(Rows("cast(cast('2999.97' as decimal(8, 2)) as double) = 2999.97"), "0 1 2 3 4");
  EXPECT_EQ(Rows("cast(cast('123456789012345678901234.567' as decimal(38, 3)) as double) = "
                 "123456789012345678901234.567"),
            "0 1 2 3 4");
}

TEST_F(ExprTest, ArithmeticHasTheTypesOfSql) {
  EXPECT_EQ(Values("i + l"), "int64 [2, 4, null, -10, 4611686020574871551]");
  EXPECT_EQ(Values("u8 + 0"), "uint8 [1, 2, null, 5, 255]");
  EXPECT_EQ(Values("u64 + l"), "decimal128(21, 0) [2, 4, null, 0, 23058430092136939519]");
  EXPECT_EQ(Values("dec * 2"), "decimal128(21, 4) [3.0000, -3.0000, null, 0.0000, 199999999.9800]");
  EXPECT_EQ(Values("dec / 3"),
            "decimal128(16, 6) [0.500000, -0.500000, null, 0.000000, 33333333.330000]");
  EXPECT_EQ(Values("i / 2"), "int32 [0, 1, null, -2, 1073741823]");
  EXPECT_EQ(Values("i % 2"), "int32 [1, 0, null, -1, 1]");
  EXPECT_EQ(Values("-i"), "int32 [-1, -2, null, 5, -2147483647]");
  EXPECT_EQ(Values("(i + 1) * 2"), "int64 [4, 6, null, -8, 4294967296]");
  EXPECT_EQ(Values("ts - ts"), "duration[us] [0, 0, null, 0, 0]");
  EXPECT_EQ(Values("d - d"), "int64 [0, 0, null, 0, 0]");
  EXPECT_EQ(Values("i << 1 >> 1"), "int64 [1, 2, null, -5, 2147483647]");
  EXPECT_EQ(
      Values("-9223372036854775808"), "int64 [" + [] {
        std::string all;
        for (int i = 0; i < 5; ++i)
          all += (i == 0 ? "" : ", ") + std::string("-9223372036854775808");
        return all;
      }() + "]");
  EXPECT_THAT(Error("i + i > 0"),
              HasSubstr("int32 overflow: 2147483647 + 2147483647, at character 1 of the "
                        "expression: 'i + i > 0'"));
  EXPECT_THAT(Error("l * 4 > 5"), HasSubstr("int64 overflow"));
  EXPECT_THAT(Error("- u8 = 1"), HasSubstr("'-' needs a signed number, not uint8"));
  EXPECT_THAT(Error("s + 'a' = 'b'"), HasSubstr("there is no string + string"));
}

TEST_F(ExprTest, CastsReadAndWriteText) {
  EXPECT_EQ(Rows("cast(cast(0 as decimal(38, 10)) as string) = '0.0000000000'"), "0 1 2 3 4");
  EXPECT_EQ(Rows("cast(arrow_cast(i, 'Date64') as string) = '1970-01-02T00:00:00'"), "0");
  EXPECT_EQ(Rows("cast(' TRUE ' as boolean)"), "0 1 2 3 4");
  EXPECT_THAT(Error("cast(s as boolean)"), HasSubstr("of type string to bool"));
  EXPECT_THAT(Error("cast(X'FF' as string) = 'a'"), HasSubstr("cannot cast X'FF' of type binary"));
  for (const char* text : {"2021-1-1", "20210101", "2021-01-01 12:00", "10000-01-01", "2021-01-01Z",
                           "2021-01-01 1:00:00", "2021-01-01 12:00:61", "2021-01-01 12:00:00 Z"}) {
    EXPECT_EQ(Rows(std::string("try_cast('") + text + "' as timestamp) is null"), "0 1 2 3 4")
        << text;
  }
  for (const char* text : {"2021-01-01 12:00:60", "2021-01-01T14:01:00+02", "2021-01-01 120100",
                           "2021-01-01 12:01:00 UTC", "2021-01-01 12:01:00Z"}) {
    EXPECT_EQ(
        Rows(std::string("cast('") + text + "' as timestamp) = timestamp '2021-01-01 12:01:00'"),
        "0 1 2 3 4")
        << text;
  }
  EXPECT_EQ(Rows("arrow_typeof(ts) = 'Timestamp(µs)' and "
                 "arrow_typeof(st) = 'Struct(\"x\": Int32, \"y z\": Utf8)'"),
            "0 1 2 3 4");
  EXPECT_EQ(Values("cast(f as string)"), "string [0.0, -0.0, null, NaN, inf]");
  EXPECT_EQ(Values("cast(f32 as string)"), "string [0.1, -0.0, null, NaN, -inf]");
  EXPECT_EQ(Values("cast(d as string)"),
            "string [2021-01-01, 1969-12-31, null, 2020-02-29, 9999-12-31]");
  EXPECT_EQ(Values("cast(ts as string)"),
            "string [1970-01-01T00:00:00, 1970-01-01T00:00:00.000001, null, 2021-01-01T00:00:00, "
            "1969-12-31T23:59:59.999999]");
  EXPECT_EQ(Values("cast(t32 as string)"), "string [00:00:00, 00:00:01, null, 01:02:06, 23:59:59]");
  EXPECT_EQ(
      Values("cast(dur as string)"),
      "string [0 days 0 hours 0 mins 0.000000 secs, 0 days 0 hours 0 mins 0.000001 secs, null, "
      "0 days 0 hours 0 mins 0.003726 secs, 0 days 0 hours 0 mins -0.086399 secs]");
  EXPECT_EQ(Values("cast(dec as int)"), "int32 [1, -1, null, 0, 99999999]");
  EXPECT_EQ(Values("cast(dec as decimal(12, 1))"),
            "decimal128(12, 1) [1.5, -1.5, null, 0.0, 100000000.0]");
  EXPECT_EQ(Values("try_cast(f as int)"), "int32 [0, 0, null, null, null]");
  EXPECT_EQ(Values("cast(i as boolean)"), "bool [true, true, null, true, true]");
  EXPECT_EQ(Values("cast(ts as date)"),
            "date32[day] [1970-01-01, 1970-01-01, null, 2021-01-01, 1969-12-31]");
  EXPECT_THAT(Values("cast(f as int)"), HasSubstr("cannot cast 'nan' of type double to int32"));
  EXPECT_THAT(Values("cast(li as int)"), HasSubstr("cannot be cast"));
  auto one = [](const std::string& sql) {
    std::string text = Values(sql);
    size_t begin = text.find(" [") + 2;
    return text.substr(begin, text.find(',', begin) - begin);
  };
  EXPECT_EQ(one("cast(1.7 as int)"), "1");
  EXPECT_EQ(one("try_cast(300 as tinyint)"), "null");
  EXPECT_EQ(one("cast('+12' as int)"), "12");
  EXPECT_EQ(one("try_cast(' 12' as int)"), "null");
  EXPECT_EQ(one("cast('1e3' as double)"), "1000");
  for (const char* text : {"1e3", "1e-3", "", "-", ".", " ", "1 1", "- 1", "1.2.3", "nan"}) {
    EXPECT_EQ(one(std::string("try_cast('") + text + "' as decimal(10, 2))"), "null") << text;
  }
  EXPECT_EQ(one("cast(' +1.005' as decimal(10, 2)) + 0"), "1.01");
  EXPECT_EQ(one("cast('.5 ' as decimal(10, 2)) + 0"), "0.50");
  EXPECT_EQ(one("cast('-0' as tinyint unsigned)"), "0");
  EXPECT_EQ(one("try_cast('-1' as tinyint unsigned)"), "null");
  EXPECT_EQ(one("try_cast('-' as tinyint unsigned)"), "null");
  EXPECT_EQ(one("try_cast('99999-01-01' as date)"), "null");
  EXPECT_EQ(one("cast('+12020-02-29' as date)"), "12020-02-29");
  EXPECT_EQ(one("cast('-2020-01-01' as date)"), "-2020-01-01");
  // A leap second is the last of its day, and the first of the next as a moment.
  EXPECT_EQ(one("cast('2020-02-29T23:59:60' as date)"), "2020-02-29");
  EXPECT_EQ(one("cast('2020-02-29T23:59:60' as timestamp(0))"), "2020-03-01 00:00:00");
  EXPECT_EQ(one("cast('on' as boolean)"), "true");
  EXPECT_EQ(one("cast('20210101' as date)"), "2021-01-01");
  EXPECT_EQ(one("cast('2021-1-1' as date)"), "2021-01-01");
  EXPECT_EQ(one("cast('2021-01-01T01:02:03+02:00' as timestamp)"), "2020-12-31 23:02:03.000000");
  EXPECT_EQ(one("cast('1.005' as decimal(10,2))"), "1.01");
  EXPECT_EQ(one("cast(1.005 as decimal(10,2))"), "1.00");
}

TEST_F(ExprTest, LikeMatchesWholeTexts) {
  EXPECT_EQ(Rows("s like '\\a' or s like 'B!_!b' escape '!'"), "0 1");
  EXPECT_EQ(Rows("s like 'hé_%%' escape '%'"), "3");
  EXPECT_THAT(Error("s ilike 'a' escape 'a'"), HasSubstr("cannot be a letter"));
  EXPECT_EQ(Rows("s like 'h%'"), "3");
  EXPECT_EQ(Rows("s like 'h__\\%'"), "3");
  EXPECT_EQ(Rows("s like 'B\\_b'"), "1");
  EXPECT_EQ(Rows("s like 'B!_b' escape '!'"), "1");
  EXPECT_EQ(Rows("s like 'b\\_%'"), "");
  EXPECT_EQ(Rows("s ilike 'b\\_%'"), "1");
  EXPECT_EQ(Rows("s ilike 'HÉ%'"), "3");
  EXPECT_EQ(Rows("s not like 'h%'"), "0 1 4");
  EXPECT_EQ(Rows("s like ''"), "4");
  EXPECT_EQ(Rows("s like '%'"), "0 1 3 4");
  EXPECT_EQ(Rows("s like '%é%'"), "3");
  EXPECT_EQ(Rows("s like '_'"), "0");
  EXPECT_EQ(Rows("s like s"), "0 1 3 4");
  EXPECT_THAT(Error("i like '1'"), HasSubstr("LIKE needs a string, not a value of type int32"));
}

TEST_F(ExprTest, FunctionsOfStrings) {
  EXPECT_EQ(Values("upper(s)"), "string [A, B_B, null, HÉÉ%, ]");
  EXPECT_EQ(Values("length(s)"), "int32 [1, 3, null, 4, 0]");
  EXPECT_EQ(Values("octet_length(s)"), "int32 [1, 3, null, 6, 0]");
  EXPECT_EQ(Values("substr(s, 2, 2)"), "string [, _b, null, éé, ]");
  EXPECT_EQ(Values("substr(s, 0, 2)"), "string [a, B, null, h, ]");
  EXPECT_EQ(Values("concat(s, i, 'x')"), "string [a1x, B_b2x, x, héé%-5x, 2147483647x]");
  EXPECT_EQ(Values("s || 'x'"), "string [ax, B_bx, null, héé%x, x]");
  EXPECT_EQ(Values("replace(s, 'b', 'XX')"), "string [a, B_XX, null, héé%, ]");
  EXPECT_EQ(Values("replace(s, '', '.')"), "string [.a., .B._.b., null, .h.é.é.%., .]");
  EXPECT_EQ(Values("strpos(s, 'é')"), "int32 [0, 0, null, 2, 0]");
  EXPECT_EQ(Values("lpad(s, 5, 'xy')"), "string [xyxya, xyB_b, null, xhéé%, xyxyx]");
  EXPECT_EQ(Values("rpad(s, 1, 'xy')"), "string [a, B, null, h, x]");
  EXPECT_EQ(Values("reverse(s)"), "string [a, b_B, null, %ééh, ]");
  EXPECT_EQ(Values("left(s, -1)"), "string [, B_, null, héé, ]");
  EXPECT_EQ(Values("right(s, 2)"), "string [a, _b, null, é%, ]");
  EXPECT_EQ(Values("split_part(s, '_', -1)"), "string [a, b, null, héé%, ]");
  EXPECT_EQ(Rows("starts_with(s, 'h') or ends_with(s, 'b') or contains(s, 'a')"), "0 1 3");
  EXPECT_EQ(Rows("contains_tokens(s, 'b B')"), "1");
  EXPECT_EQ(Rows("trim('  a ') = s"), "0");
  EXPECT_EQ(Rows("regexp_like(s, '^h')"), "3");
  EXPECT_EQ(Rows("regexp_like(s, 'b_B', 'i')"), "1");
  EXPECT_EQ(Rows("regexp_match(s, '(h)(.)')"), "3");
  EXPECT_EQ(Values("regexp_match(s, '(h)(.)')[2]"), "string [null, null, null, é, null]");
  EXPECT_EQ(Values("regexp_replace(s, '(h)(é)', '$2\\1', 'g')"), "string [a, B_b, null, éhé%, ]");
  EXPECT_THAT(Error("uper(s) = 'A'"),
              HasSubstr("there is no function 'uper'; did you mean 'upper'?"));
  EXPECT_THAT(Error("upper(s, 1) = 'A'"),
              HasSubstr("the function is upper(string); it cannot be called with (string, int64)"));
  EXPECT_THAT(Error("regexp_like(s, '(')"), HasSubstr("regular expression"));
}

TEST_F(ExprTest, RegularExpressionsKeepCharactersWhole) {
  EXPECT_EQ(Values("regexp_replace(s, '\\B', 'x')"), "string [a, Bx_b, null, héxé%, x]");
  EXPECT_THAT(Values("regexp_replace(s, '\\B', 'x', 'g')"), HasSubstr("\\B is not supported"));
  EXPECT_THAT(Values("regexp_replace(s, '\\C', 'x')"), HasSubstr("there is no escape '\\C'"));
  EXPECT_EQ(Values("regexp_replace(s, '', '-', 'g')"), "string [-a-, -B-_-b-, null, -h-é-é-%-, -]");
  EXPECT_EQ(Values("regexp_replace(s, '^', '-')"), "string [-a, -B_b, null, -héé%, -]");
  EXPECT_EQ(Values("regexp_replace(s, '(h)', '<$0$1x${1}>')"), "string [a, B_b, null, <hh>éé%, ]");
  EXPECT_EQ(Values("regexp_count(s, '')"), "int64 [2, 4, 0, 5, 1]");
  EXPECT_EQ(Values("regexp_count(s, '^.')"), "int64 [1, 1, 0, 1, 0]");
  EXPECT_EQ(Values("regexp_count(s, '\\w', 2)"), "int64 [0, 2, 0, 2, 0]");
  EXPECT_THAT(Values("regexp_count(s, 'a', 0)"), HasSubstr("starts at character 1"));
  EXPECT_EQ(Rows("regexp_like(s, '^h\\w+%')"), "3");
  EXPECT_EQ(Rows("regexp_like(s, null) is null"), "0 1 2 3 4");
}

TEST_F(ExprTest, TranslationsOfAnyCharacters) {
  EXPECT_EQ(Rows("translate(s, 'hé', 'xy') = 'xyy%'"), "3");
  EXPECT_EQ(Rows("translate(s, 'éé', 'xy') = 'hxx%'"), "3");
  EXPECT_EQ(Rows("translate(s, s, 'é') = 'é'"), "0 1 3");
  EXPECT_EQ(Rows("length(bin) = 3"), "3");
  EXPECT_EQ(Rows("length(i) = 10"), "4");
  EXPECT_EQ(Rows("i = 1OR i = 2and true"), "0 1");
  EXPECT_THAT(Error("i = 1x"), HasSubstr("letters follow a number"));
}

TEST_F(ExprTest, FunctionsOfNumbers) {
  EXPECT_EQ(Values("nanvl(f, i)"), "double [0, -0, null, -5, inf]");
  EXPECT_EQ(Values("nanvl(1.5, f)"), "double [1.5, 1.5, 1.5, 1.5, 1.5]");
  EXPECT_EQ(Values("abs(i)"), "int32 [1, 2, null, 5, 2147483647]");
  EXPECT_EQ(Values("abs(dec)"), "decimal128(10, 2) [1.50, 1.50, null, 0.00, 99999999.99]");
  EXPECT_EQ(Values("sqrt(u8)"),
            "double [1, 1.4142135623730951, null, 2.23606797749979, 15.968719422671311]");
  EXPECT_EQ(Values("greatest(i, 2)"), "int64 [2, 2, 2, 2, 2147483647]");
  EXPECT_EQ(Values("least(s, 'b')"), "string [a, B_b, b, b, ]");
  EXPECT_EQ(Values("coalesce(i, 0)"), "int64 [1, 2, 0, -5, 2147483647]");
  EXPECT_EQ(Values("nullif(i, 1)"), "int64 [null, 2, null, -5, 2147483647]");
  EXPECT_EQ(Values("nvl2(i, 'y', 'n')"), "string [y, y, n, y, y]");
  EXPECT_EQ(Rows("isnan(f)"), "3");
  EXPECT_EQ(Rows("round(2.5) = 3 and round(-2.5) = -3 and round(1234.567, 2) = 1234.57"),
            "0 1 2 3 4");
  EXPECT_EQ(Rows("mod(i, 2) = 0"), "1");
}

TEST_F(ExprTest, FloatsAreRoundedAsSuch) {
  EXPECT_EQ(Values("round(arrow_cast(1.15, 'Float32') + 0 * f32, 1)").substr(0, 10), "float [1.2");
  EXPECT_EQ(Values("trunc(arrow_cast(1.15, 'Float32') + 0 * f32, 1)").substr(0, 10), "float [1.1");
  EXPECT_EQ(Values("round(f + 1.256, u8)").substr(0, 18), "double [1.3, 1.26,");
  EXPECT_EQ(Values("round(i + 15, -1)").substr(0, 14), "double [20, 20");
}

TEST_F(ExprTest, HalfFloatsHaveTheirRange) {
  const auto schema = arrow::schema({arrow::field("h", arrow::float16())});
  auto bound = [&](std::string_view sql) {
    auto filter = BindSqlFilter(sql, *schema);
    return filter.ok() ? ToSql(**filter) : filter.status().message();
  };
  for (const char* sql : {"h = 1e10", "h < -1e10", "h in (1.5, 65520.0)", "h = 1e-60",
                          "h between 0.0 and 1e10", "h is distinct from 1e5"}) {
    EXPECT_THAT(bound(sql), HasSubstr("cannot be converted to halffloat, the type of column h"))
        << sql;
  }
  for (const char* sql :
       {"h = 0.1", "h = 65519.0", "h = 1e400", "h > -1e400", "h = 0.0", "not (h = 1e10)"}) {
    EXPECT_THAT(bound(sql), ::testing::Not(HasSubstr("cannot be converted"))) << sql;
  }
}

TEST_F(ExprTest, DaysOfDates) {
  const std::string date64 = "arrow_cast(d, 'Date64')";
  EXPECT_EQ(Rows(date64 + " - arrow_cast(d - 3, 'Date64') = 3"), Rows("d is not null"));
  EXPECT_EQ(Rows(date64 + " - (d - 3) = 3"), Rows("d is not null"));
  EXPECT_EQ(Values("arrow_cast(d - 18628, 'Date64') + 1").substr(0, 24),
            "date64[ms] [1970-01-02, ");
  EXPECT_EQ(Rows("to_timestamp(f / 0) is null"), "2");
  // A time of day before 1970 is cut off towards it.
  const std::string second_before = "arrow_cast(arrow_cast(ts - ts, 'Int64') - 1000, 'Date64')";
  EXPECT_EQ(Rows("to_date(" + second_before + ") = date '1970-01-01'"), "0 1 3 4");
  EXPECT_EQ(Rows("cast(" + second_before + " + 1 as date) = date '1970-01-02'"), "0 1 3 4");
  EXPECT_EQ(Rows("cast(arrow_cast(-1000, 'Timestamp(ms)') as date) = date '1969-12-31'"),
            "0 1 2 3 4");
}

TEST_F(ExprTest, FunctionsOfDates) {
  EXPECT_EQ(Values("date_part('year', ts)"), "int32 [1970, 1970, null, 2021, 1969]");
  EXPECT_EQ(Values("extract(week from d)"), "int32 [53, 1, null, 9, 52]");
  EXPECT_EQ(Rows("date_part('year', ts) = 1970"), "0 1");
  EXPECT_EQ(Rows("date_part('year', ts) != 1970"), "3 4");
  EXPECT_EQ(Rows("1970 > extract(year from ts)"), "4");
  EXPECT_EQ(Rows("date_part('YEAR', ts) <= 1970"), "0 1 4");
  EXPECT_EQ(Rows("date_part('year', ts) > 1970"), "3");
  EXPECT_EQ(Rows("not date_part('year', ts) < 1970"), "0 1 3");
  EXPECT_EQ(Rows("date_part('year', d) >= 2021"), "0 4");
  EXPECT_EQ(Rows("date_part('year', d) = 9999"), "4");
  EXPECT_EQ(Rows("date_part('year', ts) = 2000000000"), "");
  EXPECT_EQ(Printed("date_part('year', ts) = 2021"),
            "(ts >= timestamp(6) '2021-01-01T00:00:00') AND "
            "(ts < timestamp(6) '2022-01-01T00:00:00')");
  EXPECT_EQ(Values("date_part('dow', d)"), "int32 [5, 3, null, 6, 5]");
  EXPECT_EQ(Values("cast(date_trunc('month', ts) as string)"),
            "string [1970-01-01T00:00:00, 1970-01-01T00:00:00, null, 2021-01-01T00:00:00, "
            "1969-12-01T00:00:00]");
  EXPECT_EQ(Rows("ts < now()"), "0 1 3 4");
  EXPECT_EQ(Rows("d > current_date"), "4");
  EXPECT_EQ(Rows("to_timestamp(1) = timestamp '1970-01-01 00:00:01'"), "0 1 2 3 4");
  EXPECT_EQ(Rows("make_date(2021, 1, 1) = d"), "0");
  EXPECT_THAT(Error("date_part('foo', ts) = 1"), HasSubstr("there is no part 'foo'"));
  EXPECT_THAT(Error("date_part('yeer', ts) = 1"), HasSubstr("did you mean 'year'?"));
  EXPECT_THAT(Error("date_trunc('foo', ts) = ts"), HasSubstr("there is no part 'foo'"));
  EXPECT_THAT(Error("date_part('YEAR', i) = 1"), HasSubstr("the function is date_part("));
  EXPECT_THAT(Error("get_field(st) = 1"), HasSubstr("the function is get_field(struct, 'member')"));
}

TEST_F(ExprTest, FunctionsOfLists) {
  EXPECT_EQ(Rows("array_has(li, 1)"), "0");
  EXPECT_EQ(Rows("array_contains(lst, 'foo')"), "4");
  EXPECT_EQ(Rows("array_has_any(lst, ['a', 'z'])"), "0");
  EXPECT_EQ(Rows("array_has_all(lst, ['a', 'b'])"), "0");
  EXPECT_EQ(Rows("array_has_all(li, li)"), "0 1 3 4");
  EXPECT_EQ(Values("array_length(li)"), "uint64 [2, 0, null, 1, 1]");
  EXPECT_EQ(Values("array_position(li, 2)"), "uint64 [2, null, null, null, null]");
  EXPECT_EQ(Rows("array_has(li, i)"), "0");
  EXPECT_EQ(Rows("array_has([2, -5], i)"), "1 3");
  EXPECT_EQ(Rows("array_has([[3], [1, 2]], li)"), "0 4");
  EXPECT_EQ(Values("array_has([1, null], i)"), "bool [true, null, null, null, null]");
  EXPECT_EQ(Values("array_position([2, -5], i)"), "uint64 [null, 1, null, 2, null]");
  EXPECT_EQ(Values("array_position(li, null)"), "uint64 [null, null, null, 1, null]");
  EXPECT_EQ(Rows("array_has_any(li, [null, 3])"), "3 4");
  EXPECT_EQ(Rows("array_has_all(lst, [])"), "0 1 3 4");
  EXPECT_EQ(Rows("lst = [null]"), "3");
  EXPECT_EQ(Rows("array_has(null, 1) is null and array_length(null) is null"), "0 1 2 3 4");
  EXPECT_EQ(Values("make_array(i, 0)[1]"), "int64 [1, 2, null, -5, 2147483647]");
  EXPECT_THAT(Error("array_has(li, 'a')"), HasSubstr("the function is array_has(list, value)"));
}

TEST_F(ExprTest, ListsAreMadeOfOthers) {
  const auto as_text = [](const std::string& sql) { return Values("cast(" + sql + " as string)"); };
  EXPECT_EQ(as_text("array_append(li, i)"), "string [[1, 2, 1], [2], [], [, -5], [3, 2147483647]]");
  EXPECT_EQ(as_text("array_prepend(7, li)"), "string [[7, 1, 2], [7], [7], [7, ], [7, 3]]");
  EXPECT_EQ(as_text("array_concat(li, [7, 8], null)"),
            "string [[1, 2, 7, 8], [7, 8], [7, 8], [, 7, 8], [3, 7, 8]]");
  EXPECT_EQ(as_text("array_remove([2, 1, 2], i)"),
            "string [[2, 2], [1, 2], null, [2, 1, 2], [2, 1, 2]]");
  EXPECT_EQ(as_text("array_sort([2, null, i], 'desc', 'nulls last')"),
            "string [[2, 1, ], [2, 2, ], [2, , ], [2, -5, ], [2147483647, 2, ]]");
  EXPECT_EQ(as_text("array_distinct([f, 0.0, f, null])"),
            "string [[0.0, ], [-0.0, ], [, 0.0], [NaN, 0.0, ], [inf, 0.0, ]]");
  EXPECT_EQ(Values("array_max([f, 1.5, null])"), "double [1.5, 1.5, 1.5, nan, inf]");
  EXPECT_EQ(Values("array_min(lst)"), "string [a, null, null, null, foo]");
  EXPECT_THAT(Error("empty(array_sort([li]))"), HasSubstr("the function is array_sort"));
}

TEST_F(ExprTest, MomentsBytesAndNumbers) {
  EXPECT_EQ(Rows("d + 1 > d and d - i < date '2021-01-01'"), "0 1 3 4");
  EXPECT_THAT(Rows("d + l > d"), HasSubstr("cannot cast"));
  EXPECT_EQ(Rows("bin || X'41' = X'616241'"), "0");
  EXPECT_EQ(Rows("cast(i as binary) = X'FBFFFFFF'"), "3");
  EXPECT_EQ(Rows("cast(ts as float) = 1 and cast(dec as timestamp) < ts"), "1");
  EXPECT_EQ(Rows("arrow_cast(bin, 'FixedSizeBinary(2)') = X'6162'"),
            "cannot cast X'' of type binary to fixed_size_binary[2], at character 12 of the "
            "expression: 'bin, 'FixedSizeBinary(2)') = X'6162''");
  EXPECT_EQ(Values("gcd(u8, 10)"), "int64 [1, 2, null, 5, 5]");
  EXPECT_THAT(Rows("lcm(4611686018427387904, l + 1) = 1"), HasSubstr("does not fit into int64"));
}

TEST_F(ExprTest, HalfFloatsAreComparedAsFloats) {
  EXPECT_EQ(Rows("arrow_cast(u8, 'Float16') in (2.0, 5)"), "1 3");
  EXPECT_EQ(Values("cast(nullif(arrow_cast(u8, 'Float16'), arrow_cast(2, 'Float16')) as string)"),
            "string [1, null, null, 5, 255]");
  EXPECT_EQ(Values("cast(arrow_cast(f32, 'Float16') as string)"),
            "string [0.099975586, -0, null, NaN, -inf]");
}

TEST_F(ExprTest, AFilterIsACondition) {
  for (const char* sql : {"i", "s", "li", "i + 1", "cast(null as int)"}) {
    EXPECT_THAT(Error(sql), HasSubstr("a filter must be a condition")) << sql;
  }
  EXPECT_EQ(Rows("true"), "0 1 2 3 4");
  EXPECT_EQ(Rows("1 = 1"), "0 1 2 3 4");
  EXPECT_EQ(Rows("b"), "0 3");
  EXPECT_EQ(Rows("null"), "");
  EXPECT_THAT(Error("not i"), HasSubstr("NOT needs a condition, not a value of type int32"));
  EXPECT_THAT(Error("i and b"), HasSubstr("AND needs a condition"));
}

TEST_F(ExprTest, ErrorsSayWhereAndWhich) {
  // When it is bound.
  EXPECT_EQ(Values("f * s"),
            "there is no double * string; use cast() to say which number a text stands for, at "
            "character 1 of the expression: 'f * s'");
  EXPECT_THAT(Values("-s"), HasSubstr("'-' needs a signed number, not string, at character 1"));
  EXPECT_THAT(Values("i like 'a'"), HasSubstr("not a value of type int32, at character 1"));
  EXPECT_THAT(Values("s like 1"), HasSubstr("not a value of type int64, at character 8"));
  EXPECT_THAT(Values("upper(s, s)"),
              HasSubstr("it cannot be called with (string, string), at character 1"));
  EXPECT_THAT(Values("coalesce(i, li)"),
              HasSubstr("values of type int32 and list<item: int32> have no type in common"));
  // When it is evaluated, also in parts that were put elsewhere.
  EXPECT_EQ(Values("length('é') + cast(s as int)"),
            "cannot cast 'a' of type string to int32, at character 20 of the expression: "
            "'s as int)'");
  EXPECT_THAT(Rows("b and 5 between i / (i - i) and 8"), HasSubstr("zero, at character 17"));
  EXPECT_THAT(Values("case i when 1 then 1 / 0 else 2 end"), HasSubstr("zero, at character 20"));
}

TEST_F(ExprTest, WhatDoesNotDependOnRowsIsComputedOnce) {
  EXPECT_EQ(Printed("i > 1 + 1"), "i > 2");
  EXPECT_EQ(Printed("2 < i"), "i > 2");
  EXPECT_EQ(Printed("not (i > 2 or b)"), "(i <= 2) AND (NOT b)");
  EXPECT_EQ(Printed("i > 1 and true and (b and s = upper('x'))"), "(i > 1) AND b AND (s = 'X')");
  EXPECT_EQ(Printed("i = 1 and false"), "false");
  EXPECT_EQ(Printed("i between 1 and 2"), "(i >= 1) AND (i <= 2)");
  EXPECT_EQ(Printed("d = date '2021-01-01'"), "d = date '2021-01-01'");
  EXPECT_EQ(Printed("cast('2021-01-01' as date) <= d"), "d >= date '2021-01-01'");
  EXPECT_EQ(Printed("st.`y z` in ('a', 'it''s')"), "st.`y z` IN ('a', 'it''s')");
  EXPECT_EQ(Printed("l + 1"), "l + 1");
}

TEST_F(ExprTest, KnowsItsPartsAndColumns) {
  auto expr = *BindSql("i > 1 and st.x = 2 and (s = 'a' or i is null)", *batch->schema());
  EXPECT_EQ(Conjuncts(expr).size(), 3U);
  std::vector<ColumnPath> columns = {{{0}}, {{6}}, {{18, 0}}};
  EXPECT_EQ(ReferencedColumns(*expr), columns);
  auto moved = MoveColumns(expr, [](const ColumnPath& path) {
    return ColumnPath{{path.indexes[0] + 1, 5}};
  });
  columns = {{{1, 5}}, {{7, 5}}, {{19, 5}}};
  EXPECT_EQ(ReferencedColumns(*moved), columns);
  EXPECT_EQ(ToSql(*moved), ToSql(*expr));
}

TEST_F(ExprTest, LongInListsAreHashed) {
  std::string sql = "l in (-5";
  for (int i = 1; i < 100'000; ++i) sql += "," + std::to_string(i * 2);
  EXPECT_EQ(Rows(sql + ")"), "1 3");
}

}  // namespace
}  // namespace lance::query
