#include "query/expr/kernel/calendar.h"

namespace lance::query {
namespace {

bool IsLeap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

// The calendar repeats every 400 years. Years are counted from March here, so that the leap day is
// the last one.
constexpr int64_t kDaysPerEra = 146097;
constexpr int64_t kDaysBefore1970 = 719468;  // since 0000-03-01

}  // namespace

int64_t DaysOf(const CivilDate& date) {
  int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  int64_t era = FloorDivide(year, 400);
  int64_t year_of_era = year - era * 400;
  int64_t month = (date.month + 9) % 12;
  int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - kDaysBefore1970;
}

CivilDate DateOf(int64_t days) {
  days += kDaysBefore1970;
  int64_t era = FloorDivide(days, kDaysPerEra);
  int64_t day_of_era = days - era * kDaysPerEra;
  int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t month = (5 * day_of_year + 2) / 153;
  CivilDate date;
  date.day = static_cast<int32_t>(day_of_year - (153 * month + 2) / 5 + 1);
  date.month = static_cast<int32_t>(month < 10 ? month + 3 : month - 9);
  date.year = year_of_era + era * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

int32_t DaysInMonth(int64_t year, int32_t month) {
  if (month == 2) return IsLeap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

int32_t DayOfWeek(int64_t days) {
  constexpr int64_t kThursday = 4;  // 1970-01-01
  return static_cast<int32_t>(FloorModulo(days + kThursday, 7));
}

int32_t DayOfYear(int64_t days) {
  return static_cast<int32_t>(days - DaysOf({DateOf(days).year, 1, 1}) + 1);
}

IsoWeek IsoWeekOf(int64_t days) {
  // The year of the week's Thursday.
  int64_t thursday = days - (DayOfWeek(days) + 6) % 7 + 3;
  int64_t year = DateOf(thursday).year;
  return {year, static_cast<int32_t>((thursday - DaysOf({year, 1, 1})) / 7 + 1)};
}

}  // namespace lance::query
