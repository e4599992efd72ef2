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

namespace {

/// The date of a day within some thousand years, by multiplications instead of divisions (Neri and
/// Schneider, "Euclidean affine functions and their application to calendar algorithms", 2022).
CivilDate DateNear(int32_t days) {
  constexpr uint32_t kErasBefore = 82;  // so that nothing is negative
  constexpr uint32_t kYearsBefore = 400 * kErasBefore;
  const uint32_t day = static_cast<uint32_t>(days) +
                       static_cast<uint32_t>(kDaysBefore1970 + kDaysPerEra * kErasBefore);
  const uint32_t quarters = 4 * day + 3;
  const uint32_t century = quarters / static_cast<uint32_t>(kDaysPerEra);
  const uint32_t day_of_century = quarters % static_cast<uint32_t>(kDaysPerEra) / 4;
  const uint64_t scaled = uint64_t{2939745} * (4 * day_of_century + 3);
  const auto year_of_century = static_cast<uint32_t>(scaled >> 32);
  const uint32_t day_of_year = static_cast<uint32_t>(scaled) / 2939745 / 4;
  const uint32_t months = 2141 * day_of_year + 197913;
  const bool is_after_december = day_of_year >= 306;
  const uint32_t month = months >> 16;
  CivilDate date;
  date.year = int64_t{100} * century + year_of_century - kYearsBefore + (is_after_december ? 1 : 0);
  date.month = static_cast<int32_t>(is_after_december ? month - 12 : month);
  date.day = static_cast<int32_t>((months & 0xFFFF) / 2141 + 1);
  return date;
}

}  // namespace

CivilDate DateOf(int64_t days) {
  constexpr int64_t kNear = 10 * 1000 * 1000;
  if (days > -kNear && days < kNear) return DateNear(static_cast<int32_t>(days));
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
