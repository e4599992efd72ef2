#include "query/expr/kernel/calendar.h"

#include <gtest/gtest.h>

namespace lance::query {
namespace {

void ExpectFollows(const CivilDate& before, const CivilDate& date, int64_t days) {
  CivilDate next = before;
  if (++next.day > DaysInMonth(next.year, next.month)) {
    next.day = 1;
    if (++next.month > 12) {
      next.month = 1;
      ++next.year;
    }
  }
  ASSERT_EQ(date.year, next.year) << days;
  ASSERT_EQ(date.month, next.month) << days;
  ASSERT_EQ(date.day, next.day) << days;
}

TEST(Calendar, EachDayFollowsTheOneBefore) {
  // Around the epoch, and where the fast way begins and ends.
  for (int64_t first : {int64_t{-800'000}, int64_t{-10'000'500}, int64_t{9'999'500}}) {
    const int64_t count = first == -800'000 ? 1'600'000 : 1000;
    CivilDate before = DateOf(first - 1);
    for (int64_t days = first; days < first + count; ++days) {
      CivilDate date = DateOf(days);
      ExpectFollows(before, date, days);
      ASSERT_EQ(DaysOf(date), days);
      before = date;
    }
  }
  EXPECT_EQ(DateOf(0).year, 1970);
  EXPECT_EQ(DaysOf({2000, 3, 1}), 11017);
}

}  // namespace
}  // namespace lance::query
