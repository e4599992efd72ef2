#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lance::query {

/// A stretch of time, in seconds since the epoch, in which clocks are `offset` seconds ahead of
/// UTC.
struct ZoneSpan {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t offset = 0;

  bool Has(int64_t utc) const { return begin <= utc && utc < end; }
};

/// What holds year after year in a zone, written as POSIX has it in the variable TZ:
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
class ZoneRule {
 public:
  static std::optional<ZoneRule> Parse(std::string_view text);

  ZoneSpan SpanAt(int64_t utc) const;

 private:
  friend class ZoneRuleReader;

  /// A day of every year, and the second of it; those may be before or after the day itself.
  struct YearlyTime {
    enum class Kind : uint8_t { kWeekday, kDayWithoutLeapDay, kDayWithLeapDay };

    Kind kind = Kind::kWeekday;
    int32_t month = 1;
    /// 5 is the last one.
    int32_t week = 1;
    /// Of the week (0 is Sunday) or of the year.
    int32_t day = 0;
    int64_t second = 7200;

    /// Local seconds since the epoch.
    int64_t In(int64_t year) const;
  };

  int64_t standard_offset_ = 0;
  int64_t summer_offset_ = 0;
  bool has_summer_ = false;
  YearlyTime summer_begin_;
  YearlyTime summer_end_;
};

}  // namespace lance::query
