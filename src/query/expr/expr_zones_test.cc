#include "query/expr/expr_test_rows.h"

namespace lance::query {
namespace {

/// `tz`: moments in a zone; `n`: the same without one; `d`: days.
class ExprZonesTest : public ::testing::Test {
 protected:
  static std::shared_ptr<arrow::RecordBatch> Moments(const std::string& zone,
                                                     const std::string& json) {
    const auto zoned = arrow::timestamp(arrow::TimeUnit::SECOND, zone);
    const auto plain = arrow::timestamp(arrow::TimeUnit::SECOND);
    auto moments = arrow::json::ArrayFromJSONString(plain, json).ValueOrDie();
    auto data = moments->data()->Copy();
    data->type = zoned;
    auto days = arrow::json::ArrayFromJSONString(
                    arrow::date32(), "[" + std::string("19783") + Repeated(moments->length()) + "]")
                    .ValueOrDie();
    return arrow::RecordBatch::Make(
        arrow::schema({arrow::field("tz", zoned), arrow::field("n", plain),
                       arrow::field("d", arrow::date32())}),
        moments->length(), {arrow::MakeArray(data), moments, days});
  }
  static std::string Repeated(int64_t count) {
    std::string text;
    for (int64_t i = 1; i < count; ++i) text += ", 19783";
    return text;
  }
  static std::string Of(const std::shared_ptr<arrow::RecordBatch>& batch, const std::string& sql) {
    auto expr = BindSql(sql, *batch->schema());
    if (!expr.ok()) return expr.status().message();
    auto values = Evaluate(**expr, *batch, arrow::default_memory_pool());
    if (!values.ok()) return values.status().message();
    std::string text;
    for (int64_t i = 0; i < (*values)->length(); ++i) {
      auto value = *(*values)->GetScalar(i);
      text += (i == 0 ? "" : " | ") + (value->is_valid ? value->ToString() : "null");
    }
    return text;
  }
};

TEST_F(ExprZonesTest, DatesBeginAtMidnightUtc) {
  const auto batch = Moments("Europe/Berlin", R"(["2024-02-29 22:30:00", "2024-02-29 23:30:00",
                                                  "2024-03-01 00:00:00", "2024-03-01 00:30:00"])");
  for (const char* day : {"date '2024-03-01'", "d"}) {
    // `?` stands for the day.
    auto of = [&](std::string sql) {
      for (size_t at = 0; (at = sql.find('?')) != std::string::npos;) sql.replace(at, 1, day);
      return Of(batch, sql);
    };
    EXPECT_EQ(of("tz < ?"), "true | true | false | false") << day;
    EXPECT_EQ(of("? >= tz"), "true | true | true | false") << day;
    EXPECT_EQ(of("tz = ?"), "false | false | true | false") << day;
    EXPECT_EQ(of("tz in (?)"), "false | false | true | false") << day;
    EXPECT_EQ(of("tz between ? and ?"), "false | false | true | false") << day;
    EXPECT_EQ(of("tz is distinct from ?"), "true | true | false | true") << day;
    EXPECT_EQ(of("nullif(tz, ?) is null"), "false | false | true | false") << day;
    EXPECT_EQ(of("greatest(tz, ?) = ?"), "true | true | true | false") << day;
    EXPECT_EQ(of("coalesce(?, tz) = timestamp '2024-03-01 00:00:00'"), "true | true | true | true")
        << day;
  }
  EXPECT_EQ(Of(batch, "tz in (d, date '2024-02-29', tz - arrow_cast(1, 'Duration(s)'))"),
            "false | false | true | false");
  EXPECT_EQ(Of(batch, "cast(n - tz as bigint)"), "0 | 0 | 0 | 0");
  EXPECT_EQ(Of(batch, "cast(arrow_cast(n, 'Timestamp(ms)') - tz as bigint)"),
            "-3600 | -3600 | -3600 | -3600");
  EXPECT_EQ(Of(batch, "cast(tz - d as bigint)"), "-5400 | -1800 | 0 | 1800");
}

TEST_F(ExprZonesTest, DaylightSavingGoesOn) {
  const auto batch = Moments("Europe/Berlin", R"(["2037-07-01 12:00:00", "2050-07-01 12:00:00",
                                                  "2050-12-01 12:00:00", "9999-07-01 12:00:00"])");
  EXPECT_EQ(Of(batch, "date_part('hour', tz)"), "14 | 14 | 13 | 14");
  EXPECT_EQ(Of(batch, "cast(tz as string)"),
            "2037-07-01T14:00:00+02:00 | 2050-07-01T14:00:00+02:00 | 2050-12-01T13:00:00+01:00 | "
            "9999-07-01T14:00:00+02:00");
  EXPECT_EQ(Of(batch, "cast(date_trunc('day', tz) as bigint) % 86400 / 3600"), "22 | 22 | 23 | 22");
  EXPECT_EQ(Of(batch,
               "cast(arrow_cast(n, 'Timestamp(s, \"Europe/Berlin\")') as bigint) - "
               "cast(n as bigint)"),
            "-7200 | -7200 | -3600 | -7200");
}

TEST_F(ExprZonesTest, OffsetsInTexts) {
  EXPECT_EQ(Of(Moments("Europe/London", R"(["2020-01-01 00:00:00", "2020-07-01 00:00:00"])"),
               "cast(tz as string)"),
            "2020-01-01T00:00:00Z | 2020-07-01T01:00:00+01:00");
  // Local mean time has seconds: to the nearest minute.
  EXPECT_EQ(Of(Moments("Australia/Sydney", R"(["1883-01-01 00:00:00"])"), "cast(tz as string)"),
            "1883-01-01T10:04:52+10:05");
}

TEST_F(ExprZonesTest, TimesShownTwiceAreTruncatedToTheirOffset) {
  const auto berlin = Moments("Europe/Berlin", R"(["2020-10-25 00:30:10", "2020-10-25 01:30:10"])");
  EXPECT_EQ(Of(berlin, "arrow_cast(date_trunc('hour', tz), 'Timestamp(s)')"),
            "2020-10-25 00:00:00 | 2020-10-25 01:00:00");
  EXPECT_EQ(Of(berlin, "arrow_cast(date_trunc('minute', tz), 'Timestamp(s)')"),
            "2020-10-25 00:30:00 | 2020-10-25 01:30:00");
  const auto island =
      Moments("Australia/Lord_Howe", R"(["2020-04-04 15:10:10", "2020-10-03 15:40:00"])");
  EXPECT_EQ(Of(island, "arrow_cast(date_trunc('hour', tz), 'Timestamp(s)')"),
            "2020-04-04 14:00:00 | 2020-10-03 15:30:00");
  const auto havana =
      Moments("America/Havana", R"(["2020-11-01 04:30:10", "2020-11-01 12:30:10"])");
  EXPECT_EQ(Of(havana, "arrow_cast(date_trunc('day', tz), 'Timestamp(s)')"),
            "2020-11-01 04:00:00 | 2020-11-01 05:00:00");
}

TEST_F(ExprZonesTest, DaysWithoutMidnightBeginLater) {
  EXPECT_EQ(Of(Moments("America/Sao_Paulo", R"(["2018-11-04 15:00:00"])"),
               "arrow_cast(date_trunc('day', tz), 'Timestamp(us)')"),
            "2018-11-04 03:00:00.000000");
  EXPECT_EQ(Of(Moments("Asia/Beirut", R"(["2020-03-29 10:00:00"])"),
               "arrow_cast(date_trunc('day', tz), 'Timestamp(us)')"),
            "2020-03-28 22:00:00.000000");
  EXPECT_EQ(Of(Moments("Africa/Cairo", R"(["2024-04-26 10:00:00"])"),
               "arrow_cast(date_trunc('day', tz), 'Timestamp(us)')"),
            "2024-04-25 22:00:00.000000");
}

TEST_F(ExprZonesTest, CastsRoundBeforeTheyShift) {
  EXPECT_EQ(Of(Moments("UTC", R"(["2020-01-01 00:00:00"])"),
               "cast(arrow_cast(arrow_cast(1, 'Timestamp(us)'), 'Timestamp(ms, \"+02:00\")') as "
               "bigint)"),
            "-7200000");
}

}  // namespace
}  // namespace lance::query
