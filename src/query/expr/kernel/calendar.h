#pragma once

#include <cstdint>

#include "arrow/type.h"

namespace lance::query {

constexpr int64_t kSecondsPerDay = 86400;

/// Quotient rounded down, for b > 0.
constexpr int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
constexpr int64_t FloorModulo(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }

constexpr int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1000;
    case arrow::TimeUnit::MICRO:
      return 1000 * 1000;
    case arrow::TimeUnit::NANO:
      return 1000 * 1000 * 1000;
  }
  return 1;
}

struct CivilDate {
  int64_t year = 1970;
  int32_t month = 1;
  int32_t day = 1;
};

/// Days since 1970-01-01 in the Gregorian calendar, extended into the past.
int64_t DaysOf(const CivilDate& date);
CivilDate DateOf(int64_t days);
/// 1 to 28, 29, 30 or 31.
int32_t DaysInMonth(int64_t year, int32_t month);
/// 0 is Sunday.
int32_t DayOfWeek(int64_t days);
/// 1 to 366.
int32_t DayOfYear(int64_t days);

struct IsoWeek {
  int64_t year = 0;
  int32_t week = 0;
};
/// ISO 8601: weeks start on Monday; the first one has the year's first Thursday.
IsoWeek IsoWeekOf(int64_t days);

}  // namespace lance::query
