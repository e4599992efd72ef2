#include "query/expr/kernel/zone_rule.h"

#include <algorithm>
#include <array>
#include <limits>

#include "query/expr/kernel/calendar.h"

namespace lance::query {

/// Reads the text of a rule from left to right.
class ZoneRuleReader {
 public:
  explicit ZoneRuleReader(std::string_view text) : text_(text) {}

  std::optional<ZoneRule> Read() {
    ZoneRule rule;
    std::optional<int64_t> standard;
    if (!TakeName() || !(standard = Clock(kMostOffsetHours))) return std::nullopt;
    // POSIX counts to the west.
    rule.standard_offset_ = -*standard;
    if (text_.empty()) return rule;
    if (!TakeName()) return std::nullopt;
    rule.has_summer_ = true;
    rule.summer_offset_ = rule.standard_offset_ + kSecondsPerHour;
    if (!text_.empty() && text_[0] != ',') {
      auto summer = Clock(kMostOffsetHours);
      if (!summer) return std::nullopt;
      rule.summer_offset_ = -*summer;
    }
    auto begin = Time();
    auto end = Time();
    if (!begin || !end || !text_.empty()) return std::nullopt;
    rule.summer_begin_ = *begin;
    rule.summer_end_ = *end;
    return rule;
  }

 private:
  using YearlyTime = ZoneRule::YearlyTime;
  static constexpr int64_t kSecondsPerHour = 3600;
  static constexpr int32_t kMostOffsetHours = 24;
  static constexpr int32_t kMostTimeHours = 167;

  bool Take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  /// Letters, or anything in `<>`.
  bool TakeName() {
    if (Take('<')) {
      const size_t end = text_.find('>');
      if (end == std::string_view::npos) return false;
      text_.remove_prefix(end + 1);
      return true;
    }
    size_t count = 0;
    auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
    while (count < text_.size() && is_letter(text_[count])) ++count;
    text_.remove_prefix(count);
    return count > 0;
  }

  std::optional<int32_t> Number(int32_t least, int32_t most) {
    constexpr size_t kMostDigits = 3;
    int32_t value = 0;
    size_t count = 0;
    for (; count < text_.size() && text_[count] >= '0' && text_[count] <= '9'; ++count) {
      if (count == kMostDigits) return std::nullopt;
      value = value * 10 + (text_[count] - '0');
    }
    text_.remove_prefix(count);
    if (count == 0 || value < least || value > most) return std::nullopt;
    return value;
  }

  /// `-1`, `5:30`, `+12:45:10` in seconds.
  std::optional<int64_t> Clock(int32_t most_hours) {
    const int64_t sign = Take('-') ? -1 : 1;
    if (sign == 1) Take('+');
    auto hours = Number(0, most_hours);
    if (!hours) return std::nullopt;
    int64_t total = *hours * kSecondsPerHour;
    for (int64_t unit = 60; unit >= 1 && Take(':'); unit /= 60) {
      auto part = Number(0, 59);
      if (!part) return std::nullopt;
      total += *part * unit;
    }
    return sign * total;
  }

  /// `,M3.5.0/2`, `,J60`, `,59/3`.
  std::optional<YearlyTime> Time() {
    constexpr int32_t kDaysOfLeapYear = 366;
    if (!Take(',')) return std::nullopt;
    YearlyTime time;
    if (Take('M')) {
      auto month = Number(1, 12);
      auto week = month && Take('.') ? Number(1, 5) : std::nullopt;
      auto day = week && Take('.') ? Number(0, 6) : std::nullopt;
      if (!day) return std::nullopt;
      time.month = *month;
      time.week = *week;
      time.day = *day;
    } else {
      const bool counts_from_one = Take('J');
      time.kind = counts_from_one ? YearlyTime::Kind::kDayWithoutLeapDay
                                  : YearlyTime::Kind::kDayWithLeapDay;
      auto day = Number(counts_from_one ? 1 : 0, kDaysOfLeapYear - 1);
      if (!day) return std::nullopt;
      time.day = *day;
    }
    if (Take('/')) {
      auto second = Clock(kMostTimeHours);
      if (!second) return std::nullopt;
      time.second = *second;
    }
    return time;
  }

  std::string_view text_;
};

int64_t ZoneRule::YearlyTime::In(int64_t year) const {
  int64_t days = 0;
  switch (kind) {
    case Kind::kWeekday: {
      const int64_t first = DaysOf({year, month, 1});
      days = first + (day - DayOfWeek(first) + 7) % 7 + (week - 1) * 7;
      while (days >= first + DaysInMonth(year, month)) days -= 7;
      break;
    }
    case Kind::kDayWithoutLeapDay: {
      constexpr int32_t kLastOfFebruary = 59;
      const bool is_after_leap_day = day > kLastOfFebruary && DaysInMonth(year, 2) == 29;
      days = DaysOf({year, 1, 1}) + day - 1 + (is_after_leap_day ? 1 : 0);
      break;
    }
    case Kind::kDayWithLeapDay:
      days = DaysOf({year, 1, 1}) + day;
      break;
  }
  return days * kSecondsPerDay + second;
}

std::optional<ZoneRule> ZoneRule::Parse(std::string_view text) {
  return ZoneRuleReader(text).Read();
}

ZoneSpan ZoneRule::SpanAt(int64_t utc) const {
  ZoneSpan span{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(),
                standard_offset_};
  // So far away, seconds of neighbouring years might not be numbers any more.
  constexpr int64_t kFar = int64_t{1} << 60;
  if (utc >= kFar) span.begin = kFar;
  if (utc < -kFar) span.end = -kFar;
  if (!has_summer_ || utc >= kFar || utc < -kFar) return span;
  // Neighbouring years have the changes before and after those of this one.
  const int64_t year = DateOf(FloorDivide(utc, kSecondsPerDay)).year;
  struct Change {
    int64_t at;
    int64_t offset;
    /// Where summer goes on into the next year, its new begin counts.
    bool is_begin;
  };
  std::array<Change, 6> changes;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t its_year = year - 1 + static_cast<int64_t>(i);
    changes[2 * i] = {summer_begin_.In(its_year) - standard_offset_, summer_offset_, true};
    changes[2 * i + 1] = {summer_end_.In(its_year) - summer_offset_, standard_offset_, false};
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.at != b.at ? a.at < b.at : a.is_begin < b.is_begin;
  });
  for (const Change& change : changes) {
    if (change.at > utc) {
      span.end = change.at;
      break;
    }
    span.begin = change.at;
    span.offset = change.offset;
  }
  return span;
}

}  // namespace lance::query
