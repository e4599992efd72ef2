#include <algorithm>
#include <charconv>
#include <limits>

#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/date_format.h"
#include "query/expr/kernel/date_names.h"

namespace lance::query {
namespace {

using Piece = FormatPiece;
using Field = std::optional<int64_t>;

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool StartsWith(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(),
                    [](char a, char b) { return Lower(a) == Lower(b); });
}

/// The parts that a text names; whoever names one twice has to say the same.
struct Fields {
  Field year, century, year_of_century, iso_year, iso_year_of_century, quarter, month, day;
  Field week_from_sunday, week_from_monday, iso_week, weekday, day_of_year;
  Field hour_of_half, is_pm, minute, second, nanos, epoch, offset;
};

bool Set(Field* field, int64_t value) {
  if (*field && **field != value) return false;
  *field = value;
  return true;
}

bool SetWithin(Field* field, int64_t value, int64_t least, int64_t most) {
  return value >= least && value <= most && Set(field, value);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : left_(text) {}

  bool Read(const FormatItem& item) {
    switch (item.piece) {
      case Piece::kText:
        if (!left_.starts_with(item.text)) return false;
        left_.remove_prefix(item.text.size());
        return true;
      case Piece::kSpace:
        SkipBlanks();
        return true;
      case Piece::kShortMonth:
      case Piece::kLongMonth:
        return ReadName(kMonthNames, item.piece == Piece::kLongMonth,
                        [&](int64_t at) { return Set(&fields_.month, at + 1); });
      case Piece::kShortWeekday:
      case Piece::kLongWeekday:
        return ReadName(kWeekdayNames, item.piece == Piece::kLongWeekday,
                        [&](int64_t at) { return Set(&fields_.weekday, at); });
      case Piece::kLowerAmPm:
      case Piece::kUpperAmPm: {
        const bool is_pm = StartsWith(left_, "pm");
        if (!is_pm && !StartsWith(left_, "am")) return false;
        left_.remove_prefix(2);
        return Set(&fields_.is_pm, is_pm ? 1 : 0);
      }
      case Piece::kFraction:
      case Piece::kPointDigits:
        if (!left_.starts_with('.')) return true;
        left_.remove_prefix(1);
        return ReadNanos(1, left_.size());
      case Piece::kDigits:
        return ReadNanos(static_cast<size_t>(item.width), static_cast<size_t>(item.width));
      case Piece::kZoneName:
        while (!left_.empty() && !IsBlank(left_[0])) left_.remove_prefix(1);
        return true;
      case Piece::kOffset:
      case Piece::kOffsetColon:
      case Piece::kOffsetColonSeconds:
      case Piece::kOffsetHour:
      case Piece::kOffsetLenient:
      case Piece::kOffsetOrZ:
        return ReadOffset(item.piece);
      default:
        return ReadNumber(item);
    }
  }

  bool AtEnd() const { return left_.empty(); }
  const Fields& fields() const { return fields_; }

 private:
  void SkipBlanks() {
    while (!left_.empty() && IsBlank(left_[0])) left_.remove_prefix(1);
  }

  /// One to `most` digits.
  Field Digits(size_t most) {
    size_t count = 0;
    while (count < std::min(most, left_.size()) && IsDigit(left_[count])) ++count;
    int64_t value = 0;
    const auto error = std::from_chars(left_.data(), left_.data() + count, value).ec;
    if (count == 0 || error != std::errc()) return std::nullopt;
    left_.remove_prefix(count);
    return value;
  }

  bool ReadNumber(const FormatItem& item) {
    SkipBlanks();
    const bool is_signed =
        item.piece == Piece::kYear || item.piece == Piece::kIsoYear || item.piece == Piece::kEpoch;
    const bool has_sign = is_signed && (left_.starts_with('-') || left_.starts_with('+'));
    const bool is_negative = has_sign && left_[0] == '-';
    if (has_sign) left_.remove_prefix(1);
    const bool is_any_width = has_sign || item.piece == Piece::kEpoch;
    auto value = Digits(is_any_width ? left_.size() : static_cast<size_t>(item.width));
    return value && SetNumber(item.piece, is_negative ? -*value : *value);
  }

  bool SetNumber(Piece piece, int64_t value) {
    constexpr int64_t kMostYears = 262143;
    switch (piece) {
      case Piece::kYear:
        return SetWithin(&fields_.year, value, -kMostYears, kMostYears);
      case Piece::kCentury:
        return SetWithin(&fields_.century, value, 0, 99);
      case Piece::kYearOfCentury:
        return SetWithin(&fields_.year_of_century, value, 0, 99);
      case Piece::kIsoYear:
        return SetWithin(&fields_.iso_year, value, -kMostYears, kMostYears);
      case Piece::kIsoYearOfCentury:
        return SetWithin(&fields_.iso_year_of_century, value, 0, 99);
      case Piece::kQuarter:
        return SetWithin(&fields_.quarter, value, 1, 4);
      case Piece::kMonth:
        return SetWithin(&fields_.month, value, 1, 12);
      case Piece::kDay:
        return SetWithin(&fields_.day, value, 1, 31);
      case Piece::kWeekFromSunday:
        return SetWithin(&fields_.week_from_sunday, value, 0, 53);
      case Piece::kWeekFromMonday:
        return SetWithin(&fields_.week_from_monday, value, 0, 53);
      case Piece::kIsoWeek:
        return SetWithin(&fields_.iso_week, value, 1, 53);
      case Piece::kWeekdayFromSunday:
        return SetWithin(&fields_.weekday, value, 0, 6);
      case Piece::kWeekdayFromMonday:
        return value >= 1 && value <= 7 && Set(&fields_.weekday, value % 7);
      case Piece::kDayOfYear:
        return SetWithin(&fields_.day_of_year, value, 1, 366);
      case Piece::kHour:
        return value <= 23 && Set(&fields_.is_pm, value / 12) &&
               Set(&fields_.hour_of_half, value % 12);
      case Piece::kHour12:
        return value >= 1 && value <= 12 && Set(&fields_.hour_of_half, value % 12);
      case Piece::kMinute:
        return SetWithin(&fields_.minute, value, 0, 59);
      case Piece::kSecond:
        return SetWithin(&fields_.second, value, 0, 60);
      case Piece::kNanosecond:
        return Set(&fields_.nanos, value);
      default:
        return Set(&fields_.epoch, value);
    }
  }

  template <size_t kCount, typename Use>
  bool ReadName(const std::array<std::string_view, kCount>& names, bool may_be_long, Use use) {
    for (size_t i = 0; i < kCount; ++i) {
      if (!StartsWith(left_, names[i].substr(0, kShortNameBytes))) continue;
      const bool is_long = may_be_long && StartsWith(left_, names[i]);
      left_.remove_prefix(is_long ? names[i].size() : kShortNameBytes);
      return use(static_cast<int64_t>(i));
    }
    return false;
  }

  /// Digits after the ninth are cut off.
  bool ReadNanos(size_t least, size_t most) {
    constexpr size_t kKept = 9;
    size_t count = 0;
    int64_t nanos = 0;
    for (; count < std::min(most, left_.size()) && IsDigit(left_[count]); ++count) {
      if (count < kKept) nanos = nanos * 10 + (left_[count] - '0');
    }
    if (count < least) return false;
    for (size_t i = count; i < kKept; ++i) nanos *= 10;
    left_.remove_prefix(count);
    return Set(&fields_.nanos, nanos);
  }

  /// `+01:00`, `+0100`; leniently `+01` and `Z`.
  bool ReadOffset(Piece piece) {
    SkipBlanks();
    const bool takes_z = piece == Piece::kOffsetLenient || piece == Piece::kOffsetOrZ;
    if (takes_z && StartsWith(left_, "z")) {
      left_.remove_prefix(1);
      return Set(&fields_.offset, 0);
    }
    if (!left_.starts_with('+') && !left_.starts_with('-')) return false;
    const int64_t sign = left_[0] == '-' ? -1 : 1;
    left_.remove_prefix(1);
    auto hours = TwoDigits();
    if (!hours || *hours > 99) return false;
    std::string_view after_hours = left_;
    while (!left_.empty() && (left_[0] == ':' || IsBlank(left_[0]))) left_.remove_prefix(1);
    auto minutes = TwoDigits();
    if (!minutes && piece == Piece::kOffsetLenient) {
      left_ = after_hours;
      minutes = 0;
    }
    if (!minutes || *minutes > 59) return false;
    const int64_t seconds = *hours * 3600 + *minutes * 60;
    return seconds < kSecondsPerDay && Set(&fields_.offset, sign * seconds);
  }

  Field TwoDigits() {
    if (left_.size() < 2 || !IsDigit(left_[0]) || !IsDigit(left_[1])) return std::nullopt;
    return Digits(2);
  }

  std::string_view left_;
  Fields fields_;
};

/// `y` alone is within 1970 and 2069.
Field YearOf(const Field& year, const Field& century, const Field& year_of_century) {
  if (year) return year;
  if (!year_of_century) return std::nullopt;
  if (century) return *century * 100 + *year_of_century;
  return *year_of_century + (*year_of_century < 70 ? 2000 : 1900);
}

/// The day of a week of the year that begins on weekday `start`; the first one starts with the
/// first such day.
Field DayInWeek(int64_t year, int64_t week, int64_t weekday, int64_t start) {
  const int64_t first = DaysOf({year, 1, 1});
  const int64_t first_start = first + FloorModulo(start - DayOfWeek(first), 7);
  const int64_t days = first_start + (week - 1) * 7 + FloorModulo(weekday - start, 7);
  return DateOf(days).year == year ? Field(days) : std::nullopt;
}

Field DaysFrom(const Fields& fields) {
  const Field year = YearOf(fields.year, fields.century, fields.year_of_century);
  const Field iso_year = YearOf(fields.iso_year, std::nullopt, fields.iso_year_of_century);
  if (year && fields.month && fields.day) {
    const auto month = static_cast<int32_t>(*fields.month);
    if (*fields.day > DaysInMonth(*year, month)) return std::nullopt;
    return DaysOf({*year, month, static_cast<int32_t>(*fields.day)});
  }
  if (year && fields.day_of_year) {
    const int64_t days = DaysOf({*year, 1, 1}) + *fields.day_of_year - 1;
    return DateOf(days).year == *year ? Field(days) : std::nullopt;
  }
  if (year && fields.week_from_sunday && fields.weekday) {
    return DayInWeek(*year, *fields.week_from_sunday, *fields.weekday, 0);
  }
  if (year && fields.week_from_monday && fields.weekday) {
    return DayInWeek(*year, *fields.week_from_monday, *fields.weekday, 1);
  }
  if (iso_year && fields.iso_week && fields.weekday) {
    const int64_t in_first_week = DaysOf({*iso_year, 1, 4});
    const int64_t monday = in_first_week - (DayOfWeek(in_first_week) + 6) % 7;
    return monday + (*fields.iso_week - 1) * 7 + (*fields.weekday + 6) % 7;
  }
  return std::nullopt;
}

/// Whether what is named besides says the same.
bool Agrees(const Fields& fields, int64_t days) {
  const CivilDate date = DateOf(days);
  const IsoWeek iso = IsoWeekOf(days);
  const int64_t weekday = DayOfWeek(days);
  auto is = [](const Field& field, int64_t value) { return !field || *field == value; };
  return is(fields.year, date.year) && is(fields.century, FloorDivide(date.year, 100)) &&
         is(fields.year_of_century, FloorModulo(date.year, 100)) && is(fields.month, date.month) &&
         is(fields.day, date.day) && is(fields.quarter, (date.month + 2) / 3) &&
         is(fields.weekday, weekday) && is(fields.day_of_year, DayOfYear(days)) &&
         is(fields.iso_year, iso.year) && is(fields.iso_week, iso.week) &&
         is(fields.iso_year_of_century, FloorModulo(iso.year, 100)) &&
         is(fields.week_from_sunday, (DayOfYear(days) - weekday + 6) / 7) &&
         is(fields.week_from_monday, (DayOfYear(days) - (weekday + 6) % 7 + 6) / 7);
}

/// Hour and minute are needed; a fraction needs seconds.
Field SecondsFrom(const Fields& fields) {
  if (!fields.is_pm || !fields.hour_of_half || !fields.minute) return std::nullopt;
  if (fields.nanos && !fields.second) return std::nullopt;
  const int64_t hour = *fields.is_pm * 12 + *fields.hour_of_half;
  return (hour * 60 + *fields.minute) * 60 + fields.second.value_or(0);
}

bool HasDateFields(const Fields& fields) {
  return fields.year || fields.month || fields.day || fields.day_of_year || fields.weekday;
}

}  // namespace

std::optional<ParsedMoment> ParseFormatted(const DateFormat& format, std::string_view text) {
  Reader reader(text);
  for (const FormatItem& item : format.items()) {
    if (!reader.Read(item)) return std::nullopt;
  }
  if (!reader.AtEnd()) return std::nullopt;
  const Fields& fields = reader.fields();
  ParsedMoment moment;
  moment.nanos = fields.nanos.value_or(0);
  moment.offset = fields.offset;
  if (fields.epoch && !HasDateFields(fields)) {
    moment.days = FloorDivide(*fields.epoch, kSecondsPerDay);
    moment.second_of_day = FloorModulo(*fields.epoch, kSecondsPerDay);
    moment.offset = 0;
    return moment;
  }
  moment.days = DaysFrom(fields);
  if (moment.days && !Agrees(fields, *moment.days)) return std::nullopt;
  moment.second_of_day = SecondsFrom(fields);
  return moment;
}

}  // namespace lance::query
