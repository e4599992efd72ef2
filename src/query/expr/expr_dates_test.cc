#include "query/expr/expr_test_rows.h"

namespace lance::query {
namespace {

using ::testing::HasSubstr;

class ExprDatesTest : public ExprTest {
 protected:
  /// The first of the rows, of an expression that is the same for all.
  static std::string First(const std::string& sql) {
    auto expr = BindSql(sql, *batch->schema());
    if (!expr.ok()) return expr.status().message();
    auto values = Evaluate(**expr, *batch, arrow::default_memory_pool());
    if (!values.ok()) return values.status().message();
    auto value = *(*values)->GetScalar(0);
    return value->is_valid ? value->ToString() : "null";
  }
  static std::string Written(const std::string& timestamp, const std::string& format) {
    return First("to_char(timestamp '" + timestamp + "', '" + format + "')");
  }
  static std::string Read(const std::string& text, const std::string& format) {
    return First("to_timestamp_millis('" + text + "', '" + format + "')");
  }
};

TEST_F(ExprDatesTest, DatesAreWrittenByAFormat) {
  EXPECT_EQ(
      Values("to_char(d, '%d.%m.%Y %H:%M')"),
      "string [01.01.2021 00:00, 31.12.1969 00:00, null, 29.02.2020 00:00, 31.12.9999 00:00]");
  EXPECT_EQ(Values("date_format(t32, '%I:%M:%S %p %P %R %k|%l')"),
            "string [12:00:00 AM am 00:00  0|12, 12:00:01 AM am 00:00  0|12, null, 01:02:06 AM am "
            "01:02  1| 1, 11:59:59 PM pm 23:59 23|11]");
  EXPECT_EQ(Values("to_char(ts, case when i = 1 then '%Y' when i = 2 then '%f' end)"),
            "string [1970, 000001000, null, null, null]");
  EXPECT_EQ(Written("2021-03-04 15:06:07.5", "%c|%x|%X|%r|%D|%F|%R|%T|%v|%h"),
            "Thu Mar  4 15:06:07 2021|03/04/21|15:06:07|03:06:07 PM|03/04/21|2021-03-04|15:06|"
            "15:06:07| 4-Mar-2021|Mar");
  EXPECT_EQ(Written("2021-03-04 15:06:07.5", "%y|%C|%G|%g|%q|%V|%U|%W|%u|%w|%j|%a|%A|%b|%B|%s|%%"),
            "21|20|2021|21|1|09|09|09|4|4|063|Thu|Thursday|Mar|March|1614870367|%");
  EXPECT_EQ(Written("2021-03-04 15:06:07.5", "%f|%.f|%3f|%.3f|%6f|%.6f|%9f|%.9f"),
            "500000000|.500|500|.500|500000|.500000|500000000|.500000000");
  EXPECT_EQ(Written("2021-03-04 05:06:07", "%-d|%_d|%-m|%_H|%-j|%_j|%0e|%-s|%_s|%.f"),
            "4| 4|3| 5|63| 63|04|1614834367|1614834367|");
  EXPECT_EQ(First("to_char(timestamp(0) '+12021-01-01 00:00:00', '%Y|%-Y|%G')"),
            "+12021|+12021|+12020");
  EXPECT_EQ(First("to_char(timestamp(0) '-0044-03-15 00:00:00', '%Y|%C|%y')"), "-0044|-1|56");
  EXPECT_EQ(First("to_char(arrow_cast('2021-07-01 12:00:00', 'Timestamp(us, \"Europe/Paris\")'), "
                  "'%H %z %:z %::z %:::z %Z %+ %s')"),
            "12 +0200 +02:00 +02:00:00 +02 +02:00 2021-07-01T12:00:00+02:00 1625133600");
  EXPECT_EQ(Values("to_char(dur, 'ISO8601')"),
            "string [P0D, PT0.000001S, null, PT0.003726S, -PT0.086399S]");
  EXPECT_THAT(First("to_char(ts, '%Z')"), HasSubstr("'%Z' asks for a zone, which the value"));
  EXPECT_THAT(First("to_char(t64, '%Y')"), HasSubstr("asks for a date"));
  EXPECT_THAT(First("to_char(t64, '%s')"), HasSubstr("asks for a date"));
  for (const char* format : {"%Q", "%", "%E", "%-", "%-a", "%4Y", "%é"}) {
    EXPECT_THAT(Values(std::string("to_char(ts, '") + format + "')"),
                HasSubstr("a format of dates"))
        << format;
  }
  EXPECT_THAT(Values("to_char(i, '%Y')"), HasSubstr("cannot be called with (int32, string)"));
}

TEST_F(ExprDatesTest, DatesAreReadByAFormat) {
  EXPECT_EQ(Read("2021-3-4 5:06:07.1234567891", "%Y-%m-%d %H:%M:%S%.f"), "2021-03-04 05:06:07.123");
  EXPECT_EQ(Read(" 2021-03-04", "%F "), "2021-03-04 00:00:00.000");
  EXPECT_EQ(Read("2021-03-04 10 PM", "%F %I %p"), "2021-03-04 00:00:00.000") << "needs minutes";
  EXPECT_EQ(Read("2021-03-04 12:10 am", "%F %I:%M %p"), "2021-03-04 00:10:00.000");
  EXPECT_EQ(Read("12/31/69 23:59:60", "%D %T"), "2070-01-01 00:00:00.000");
  EXPECT_EQ(Read("Thu march 4, 1999", "%a %B %e, %Y"), "1999-03-04 00:00:00.000");
  EXPECT_EQ(Read("2020 366", "%Y %j"), "2020-12-31 00:00:00.000");
  EXPECT_EQ(Read("2020-W01-1", "%G-W%V-%u"), "2019-12-30 00:00:00.000");
  EXPECT_EQ(Read("2021 09 Thu", "%Y %U %a"), "2021-03-04 00:00:00.000");
  EXPECT_EQ(Read("2021 09 4", "%Y %W %u"), "2021-03-04 00:00:00.000");
  EXPECT_EQ(Read("-1.5", "%s%.f"), "1969-12-31 23:59:59.500");
  EXPECT_EQ(Read("2021-03-04 05:06:07.5", "%F %T.%f"), "2021-03-04 05:06:07.000");
  EXPECT_EQ(Read("2021-03-04 05:06:07 +0230", "%F %T %z"), "2021-03-04 02:36:07.000");
  EXPECT_EQ(Read("2021-03-04 05:06:07Z", "%F %T%#z"), "2021-03-04 05:06:07.000");
  EXPECT_EQ(Read("2021-03-04T05:06:07.25-01:00", "%+"), "2021-03-04 06:06:07.250");
  EXPECT_EQ(Read("2021-07-04 05:06:07 Europe/Paris", "%F %T %Z"), "2021-07-04 03:06:07.000");
  for (auto [text, format] :
       {std::pair("2021-02-30", "%F"), std::pair("2021-03-04x", "%F"),
        std::pair("2021-03-04", "%Y-%m"), std::pair("5", "%d"),
        std::pair("Fri 2021-03-04", "%a %F"), std::pair("2021 4", "%Y %q"),
        std::pair("2021-03-04 Nowhere/City", "%F %Z"), std::pair("12021-01-01", "%F"),
        std::pair("2021 366", "%Y %j"), std::pair("99999999999999999999", "%s"),
        std::pair("9223372036854775807", "%s"), std::pair("", "%F")}) {
    EXPECT_THAT(Read(text, format), HasSubstr("cannot be read by the format '")) << text;
  }
  EXPECT_EQ(
      Values("to_date(concat('0', u8 % 9 + 1, '/2020'), '%Y', '%m/%Y', concat('%m/%', 'Y'), "
             "'%d/%Y')"),
      "'02/2020' cannot be read by the format '%Y', '%m/%Y', '%m/%Y', '%d/%Y', at character 1 "
      "of the expression: 'to_date(concat('0', u8 % 9 + 1, '/2020')…'");
  EXPECT_EQ(Values("to_date(cast(d as string), '%d', '%Y-%m-%d')"),
            "date32[day] [2021-01-01, 1969-12-31, null, 2020-02-29, 9999-12-31]");
  EXPECT_EQ(Values("to_date(d, '%Y')"), Values("to_date(d)"));
  EXPECT_EQ(Values("to_time(cast(t32 as string), '%T')"),
            "time64[ns] [00:00:00.000000000, 00:00:01.000000000, null, 01:02:06.000000000, "
            "23:59:59.000000000]");
  EXPECT_EQ(First("to_time('1:05 pm', '%I:%M %p')"), "13:05:00.000000000");
  EXPECT_EQ(First("to_time('1:05')"), "01:05:00.000000000");
  EXPECT_EQ(First("to_time(ts)"), "00:00:00.000000000");
  EXPECT_THAT(Values("to_time(t32)"), HasSubstr("cannot be called with (time32[s])"));
  EXPECT_THAT(Values("to_timestamp(s, null)"), HasSubstr("cannot be called with (string, null)"));
}

TEST_F(ExprDatesTest, TimesOfNamedZones) {
  EXPECT_EQ(First("timestamp '2020-07-01 00:00:00 Europe/Paris'"), "2020-06-30 22:00:00.000000");
  EXPECT_EQ(First("cast('2020-01-01T00:00:00America/New_York' as timestamp(0))"),
            "2020-01-01 05:00:00");
  EXPECT_EQ(First("arrow_cast('2020-07-01 00:00:00 CET', 'Timestamp(s, \"Asia/Tokyo\")')"),
            "2020-06-30 22:00:00Z");
  EXPECT_EQ(First("cast('2020-07-01 00:00:00 Europe/Paris' as date)"), "2020-06-30");
  EXPECT_EQ(First("try_cast('2020-07-01 00:00:00 Nowhere/City' as date)"), "null");
  EXPECT_EQ(Rows("ts > timestamp '2021-01-01 00:30:00 Europe/Paris'"), "3");
  for (const char* text : {"2020-03-29 02:30:00 Europe/Paris", "2020-10-25 02:30:00 Europe/Paris",
                           "2020-07-01 00:00:00 Nowhere/City", "2020-07-01 00:00:00 europe/paris",
                           "2020-07-01 00:00:00 ../../etc", "2020-07-01 Europe/Paris"}) {
    EXPECT_EQ(First(std::string("try_cast('") + text + "' as timestamp)"), "null") << text;
    EXPECT_THAT(First(std::string("cast('") + text + "' as timestamp)"), HasSubstr("cannot cast"));
  }
  EXPECT_EQ(First("to_local_time(arrow_cast('2021-07-01 12:00:00Z', 'Timestamp(us, \"CET\")'))"),
            "2021-07-01 14:00:00.000000");
  EXPECT_EQ(Values("to_local_time(ts)"), Values("ts"));
}

TEST_F(ExprDatesTest, MomentsInBins) {
  EXPECT_EQ(First("date_bin(interval '15 minutes', timestamp '2021-01-01 10:29:59')"),
            "2021-01-01 10:15:00.000000");
  EXPECT_EQ(First("date_bin('1 day 2 hours', timestamp(0) '1969-12-31 23:00:00')"),
            "1969-12-30 22:00:00");
  EXPECT_EQ(First("date_bin('3 months', timestamp '2021-01-01', timestamp '2001-01-31')"),
            "2020-10-31 00:00:00.000000");
  EXPECT_EQ(First("date_bin('1 month', timestamp '2021-02-28 12:00:00', date '2021-01-31')"),
            "2021-02-28 00:00:00.000000");
  EXPECT_EQ(First("date_bin('7 days', date '2020-02-29', date '2020-01-06')"),
            "2020-02-24 00:00:00.000000000");
  EXPECT_EQ(Values("date_bin('1.5 hours', t32)"),
            "time32[s] [00:00:00, 00:00:00, null, 00:00:00, 22:30:00]");
  EXPECT_EQ(Values("date_bin('1 ms', t64)"),
            "time64[us] [00:00:00.000000, 00:00:00.000000, null, 00:00:00.003000, "
            "00:00:00.086000]");
  for (const char* stride : {"0 hours", "-1 hour", "1 month 1 day", "90", "1", "hour", "1 parsec",
                             "0.5 months", "", "9999999999999999999 days", "300000000 days"}) {
    EXPECT_THAT(Values(std::string("date_bin('") + stride + "', ts)"),
                HasSubstr("the function is date_bin("))
        << stride;
  }
  EXPECT_THAT(Values("date_bin('1 year', t64)"), HasSubstr("the function is date_bin("));
  EXPECT_THAT(
      First(
          "date_bin('2 days', arrow_cast(cast(-9223372036854775808 as bigint), 'Timestamp(ns)'))"),
      HasSubstr("a bin begins before"));
}

TEST_F(ExprDatesTest, PartsOfDurationsAndTimes) {
  const std::string span = "arrow_cast(90061000001, 'Duration(us)')";
  EXPECT_EQ(First("date_part('day', " + span + ")"), "1");
  EXPECT_EQ(First("date_part('hour', " + span + ")"), "25");
  EXPECT_EQ(First("date_part('minute', " + span + ")"), "1501");
  EXPECT_EQ(First("date_part('second', " + span + ")"), "90061");
  EXPECT_EQ(First("date_part('millisecond', " + span + ")"), "90061000");
  EXPECT_EQ(First("date_part('nanosecond', " + span + ")"), "90061000001000");
  EXPECT_EQ(First("date_part('epoch', " + span + ")"), "90061.000001");
  EXPECT_THAT(First("date_part('microsecond', " + span + ")"), HasSubstr("doesn't fit into int32"));
  EXPECT_THAT(First("date_part('year', " + span + ")"), HasSubstr("cannot be called"));
  EXPECT_EQ(Values("date_trunc('minute', t32)"),
            "time32[s] [00:00:00, 00:00:00, null, 01:02:00, 23:59:00]");
  EXPECT_EQ(Values("date_trunc('millisecond', t64)"),
            "time64[us] [00:00:00.000000, 00:00:00.000000, null, 00:00:00.003000, "
            "00:00:00.086000]");
  EXPECT_THAT(Values("date_trunc('day', t32)"), HasSubstr("cannot be called"));
}

}  // namespace
}  // namespace lance::query
