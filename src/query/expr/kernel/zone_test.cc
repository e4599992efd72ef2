#include "query/expr/kernel/zone.h"

#include <gtest/gtest.h>

#include <string>

#include "query/expr/kernel/calendar.h"

namespace lance::query {
namespace {

constexpr int64_t kHour = 3600;

int64_t At(int64_t year, int32_t month, int32_t day, int64_t hour) {
  return DaysOf({year, month, day}) * kSecondsPerDay + hour * kHour;
}

TEST(ZoneRule, HoldsForAnyYear) {
  const auto rule = ZoneRule::Parse("CET-1CEST,M3.5.0,M10.5.0/3");
  ASSERT_TRUE(rule);
  for (int64_t year : {1, 1970, 2050, 2400, 9999, 200000}) {
    EXPECT_EQ(rule->SpanAt(At(year, 1, 1, 0)).offset, kHour) << year;
    EXPECT_EQ(rule->SpanAt(At(year, 7, 1, 0)).offset, 2 * kHour) << year;
    EXPECT_EQ(rule->SpanAt(At(year, 12, 31, 23)).offset, kHour) << year;
  }
  const ZoneSpan summer = rule->SpanAt(At(2050, 7, 1, 0));
  EXPECT_EQ(summer.begin, At(2050, 3, 27, 1));
  EXPECT_EQ(summer.end, At(2050, 10, 30, 1));
}

TEST(ZoneRule, ReadsAllForms) {
  // Nuuk's summer begins on the day before, Dublin's winter is the exception, in the south summer
  // goes on over New Year, and some have summer for ever.
  const auto nuuk = ZoneRule::Parse("<-02>2<-01>,M3.5.0/-1,M10.5.0/0");
  ASSERT_TRUE(nuuk);
  EXPECT_EQ(nuuk->SpanAt(At(2050, 7, 1, 0)).begin, At(2050, 3, 27, 1));
  const auto dublin = ZoneRule::Parse("IST-1GMT0,M10.5.0,M3.5.0/1");
  ASSERT_TRUE(dublin);
  EXPECT_EQ(dublin->SpanAt(At(2050, 1, 1, 0)).offset, 0);
  EXPECT_EQ(dublin->SpanAt(At(2050, 7, 1, 0)).offset, kHour);
  const auto sydney = ZoneRule::Parse("AEST-10AEDT,M10.1.0,M4.1.0/3");
  ASSERT_TRUE(sydney);
  EXPECT_EQ(sydney->SpanAt(At(2050, 1, 1, 0)).offset, 11 * kHour);
  EXPECT_EQ(sydney->SpanAt(At(2050, 12, 31, 23)).offset, 11 * kHour);
  EXPECT_EQ(sydney->SpanAt(At(2050, 7, 1, 0)).offset, 10 * kHour);
  const auto always = ZoneRule::Parse("EST5EDT,0/0,J365/25");
  ASSERT_TRUE(always);
  EXPECT_EQ(always->SpanAt(At(2050, 1, 1, 5)).offset, -4 * kHour);
  EXPECT_EQ(always->SpanAt(At(2050, 12, 31, 23)).offset, -4 * kHour);
  const auto fixed = ZoneRule::Parse("<+0545>-5:45");
  ASSERT_TRUE(fixed);
  EXPECT_EQ(fixed->SpanAt(0).offset, 5 * kHour + 45 * 60);
}

TEST(ZoneRule, RefusesOthers) {
  for (const char* text :
       {"", "CET", "-1", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M3.6.0,M1.1.0",
        "CET-1CEST,M3.5.0,M10.5.0/3x", "<CET-1", "CET-200", "CET-1CEST,M13.1.0,J1",
        "CET-1CEST,J0,J1", "CET-1CEST,99999999999,J1", "CET-1:60"}) {
    EXPECT_FALSE(ZoneRule::Parse(text)) << text;
  }
}

TEST(ZoneRule, HasSpansAtTheEndsOfTime) {
  const auto rule = ZoneRule::Parse("CET-1CEST,M3.5.0,M10.5.0/3");
  ASSERT_TRUE(rule);
  for (int64_t utc : {INT64_MIN, INT64_MIN + 1, INT64_MAX - 1}) {
    EXPECT_TRUE(rule->SpanAt(utc).Has(utc)) << utc;
  }
}

TEST(Zone, ShowsSomeTimesTwiceAndSomeNever) {
  auto zone = Zone::Named("Europe/Berlin");
  ASSERT_TRUE(zone.ok()) << zone.status();
  for (int64_t year : {2020, 2050, 9999}) {
    int32_t autumn = 31;
    while (DayOfWeek(DaysOf({year, 10, autumn})) != 0) --autumn;
    const auto twice = (*zone)->InstantsOf(At(year, 10, autumn, 2));
    EXPECT_EQ(twice.earliest, At(year, 10, autumn, 0)) << year;
    EXPECT_EQ(twice.latest, At(year, 10, autumn, 1)) << year;
    int32_t spring = 31;
    while (DayOfWeek(DaysOf({year, 3, spring})) != 0) --spring;
    const auto never = (*zone)->InstantsOf(At(year, 3, spring, 2) + 10);
    EXPECT_TRUE(never.is_skipped);
    EXPECT_EQ(never.earliest, At(year, 3, spring, 1)) << year;
  }
  for (int64_t local : {INT64_MIN, INT64_MAX}) (*zone)->InstantsOf(local);
}

TEST(Zone, IsNamedByOffsets) {
  for (const auto& [name, offset] : std::vector<std::pair<std::string, int64_t>>{
           {"+02:00", 2 * kHour}, {"-0330", -(3 * kHour + 1800)}, {"+02", 2 * kHour}, {"UTC", 0}}) {
    auto zone = Zone::Named(name);
    ASSERT_TRUE(zone.ok()) << zone.status();
    EXPECT_EQ((*zone)->SpanAt(0).offset, offset) << name;
  }
  for (const char* name :
       {"", "+24:00", "+2", "Europe", "Europe/Nowhere", "../zoneinfo/UTC", "/etc"}) {
    EXPECT_FALSE(Zone::Named(name).ok()) << name;
  }
}

/// A file of version 2 with one change from 0 to an hour at the epoch.
std::string FileOf(const std::string& rule) {
  const std::string header_start = std::string("TZif2") + std::string(15, '\0');
  auto count = [](char n) { return std::string(3, '\0') + n; };
  auto counts = [&](char times, char types, char characters) {
    return count(0) + count(0) + count(0) + count(times) + count(types) + count(characters);
  };
  const std::string types = std::string(6, '\0') + std::string("\0\0\x0e\x10\1\0", 6);
  return header_start + counts(0, 0, 0) + header_start + counts(1, 2, 4) + std::string(8, '\0') +
         "\1" + types + std::string("XYZ\0", 4) + "\n" + rule + "\n";
}

TEST(Zone, ReadsFiles) {
  const std::string file = FileOf("XYZ-1");
  auto zone = Zone::Parse(AsBytes(file));
  ASSERT_TRUE(zone.ok()) << zone.status();
  EXPECT_EQ(zone->SpanAt(-1).offset, 0);
  EXPECT_EQ(zone->SpanAt(0).offset, kHour);
  EXPECT_EQ(zone->SpanAt(0).begin, 0);
  // Cut or changed anywhere, it's another zone or an error.
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(Zone::Parse(AsBytes(std::string_view(file).substr(0, size))).ok()) << size;
  }
  for (size_t at = 0; at < file.size(); ++at) {
    for (char byte : {'\0', '\1', '\x7f', '\xff'}) {
      std::string changed = file;
      changed[at] = byte;
      auto other = Zone::Parse(AsBytes(changed));
      if (other.ok()) other->InstantsOf(0);
    }
  }
}

}  // namespace
}  // namespace lance::query
