#include <cmath>

#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/date_format.h"
#include "query/expr/kernel/date_names.h"

namespace lance::query {
namespace {

using Piece = FormatPiece;

constexpr size_t kNanosecondDigits = 9;

/// A number of at least `width` characters, its sign among them.
std::string Padded(int64_t value, int width, char pad, bool has_sign = false) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  const std::string sign = value < 0 ? "-" : has_sign ? "+" : "";
  const auto wanted = static_cast<size_t>(width) + (has_sign ? 1 : 0);
  const size_t length = sign.size() + digits.size();
  const size_t missing = pad == '\0' || length >= wanted ? 0 : wanted - length;
  if (pad == '0') return sign + std::string(missing, '0') + digits;
  return std::string(missing, ' ') + sign + digits;
}

/// Writes one moment.
class Writer {
 public:
  Writer(const FormattedMoment& moment, std::string* out)
      : moment_(moment), out_(*out), date_(moment.days ? DateOf(*moment.days) : CivilDate()) {}

  /// False if the moment has no such part.
  bool Write(const FormatItem& item) {
    if (item.piece == Piece::kText || item.piece == Piece::kSpace) {
      out_ += item.text;
      return true;
    }
    if (item.piece >= Piece::kZoneName) return WriteOffset(item.piece);
    if (IsOfTime(item.piece)) {
      if (!moment_.second_of_day) return false;
    } else if (!moment_.days || (item.piece == Piece::kEpoch && !moment_.second_of_day)) {
      return false;
    }
    if (item.piece >= Piece::kFraction) {
      WriteFraction(item);
    } else if (item.piece >= Piece::kShortMonth) {
      WriteName(item.piece);
    } else {
      const bool is_year = item.piece == Piece::kYear || item.piece == Piece::kIsoYear;
      const int64_t number = NumberOf(item.piece);
      constexpr int64_t kLastPlainYear = 9999;
      const bool has_sign = is_year && (number < 0 || number > kLastPlainYear);
      out_ += Padded(number, item.width, item.pad, has_sign);
    }
    return true;
  }

 private:
  static bool IsOfTime(Piece piece) {
    return (piece >= Piece::kHour && piece <= Piece::kNanosecond) || piece == Piece::kLowerAmPm ||
           piece == Piece::kUpperAmPm || (piece >= Piece::kFraction && piece <= Piece::kDigits);
  }

  int64_t days() const { return *moment_.days; }
  int64_t seconds() const { return *moment_.second_of_day; }

  int64_t NumberOf(Piece piece) const {
    switch (piece) {
      case Piece::kYear:
        return date_.year;
      case Piece::kCentury:
        return FloorDivide(date_.year, 100);
      case Piece::kYearOfCentury:
        return FloorModulo(date_.year, 100);
      case Piece::kIsoYear:
        return IsoWeekOf(days()).year;
      case Piece::kIsoYearOfCentury:
        return FloorModulo(IsoWeekOf(days()).year, 100);
      case Piece::kQuarter:
        return (date_.month + 2) / 3;
      case Piece::kMonth:
        return date_.month;
      case Piece::kDay:
        return date_.day;
      case Piece::kWeekFromSunday:
        return (DayOfYear(days()) - DayOfWeek(days()) + 6) / 7;
      case Piece::kWeekFromMonday:
        return (DayOfYear(days()) - (DayOfWeek(days()) + 6) % 7 + 6) / 7;
      case Piece::kIsoWeek:
        return IsoWeekOf(days()).week;
      case Piece::kWeekdayFromSunday:
        return DayOfWeek(days());
      case Piece::kWeekdayFromMonday:
        return (DayOfWeek(days()) + 6) % 7 + 1;
      case Piece::kDayOfYear:
        return DayOfYear(days());
      case Piece::kHour:
        return seconds() / 3600;
      case Piece::kHour12:
        return (seconds() / 3600 + 11) % 12 + 1;
      case Piece::kMinute:
        return seconds() / 60 % 60;
      case Piece::kSecond:
        return seconds() % 60;
      case Piece::kNanosecond:
        return moment_.nanos;
      default:
        return days() * kSecondsPerDay + seconds() - moment_.offset.value_or(0);
    }
  }

  void WriteName(Piece piece) {
    const bool is_pm = seconds_or_zero() >= kSecondsPerDay / 2;
    switch (piece) {
      case Piece::kShortMonth:
        out_ += MonthName().substr(0, kShortNameBytes);
        break;
      case Piece::kLongMonth:
        out_ += MonthName();
        break;
      case Piece::kShortWeekday:
        out_ += WeekdayName().substr(0, kShortNameBytes);
        break;
      case Piece::kLongWeekday:
        out_ += WeekdayName();
        break;
      case Piece::kLowerAmPm:
        out_ += is_pm ? "pm" : "am";
        break;
      default:
        out_ += is_pm ? "PM" : "AM";
        break;
    }
  }

  int64_t seconds_or_zero() const { return moment_.second_of_day.value_or(0); }
  std::string_view MonthName() const { return kMonthNames[static_cast<size_t>(date_.month - 1)]; }
  std::string_view WeekdayName() const {
    return kWeekdayNames[static_cast<size_t>(DayOfWeek(days()))];
  }

  void WriteFraction(const FormatItem& item) {
    const std::string digits = Padded(moment_.nanos, kNanosecondDigits, '0');
    if (item.piece == Piece::kDigits) {
      out_ += digits.substr(0, static_cast<size_t>(item.width));
      return;
    }
    auto width = static_cast<size_t>(item.width);
    if (item.piece == Piece::kFraction) {
      if (moment_.nanos == 0) return;
      width = moment_.nanos % (1000 * 1000) == 0 ? 3 : moment_.nanos % 1000 == 0 ? 6 : 9;
    }
    out_ += "." + digits.substr(0, width);
  }

  bool WriteOffset(Piece piece) {
    if (!moment_.offset || piece == Piece::kOffsetLenient) return false;
    const int64_t seconds_ahead = std::abs(*moment_.offset);
    const bool is_minutes = piece == Piece::kOffset || piece == Piece::kOffsetColon;
    // Where there is no place for seconds, to the nearest minute.
    const int64_t offset = is_minutes ? (seconds_ahead + 30) / 60 * 60 : seconds_ahead;
    out_ += *moment_.offset < 0 ? '-' : '+';
    out_ += Padded(offset / 3600, 2, '0');
    if (piece == Piece::kOffsetHour) return true;
    if (piece != Piece::kOffset) out_ += ':';
    out_ += Padded(offset / 60 % 60, 2, '0');
    const bool has_seconds =
        piece == Piece::kOffsetColonSeconds || (piece == Piece::kZoneName && offset % 60 != 0);
    if (has_seconds) out_ += ":" + Padded(offset % 60, 2, '0');
    return true;
  }

  const FormattedMoment& moment_;
  std::string& out_;
  CivilDate date_;
};

}  // namespace

Status AppendFormatted(const DateFormat& format, const FormattedMoment& moment, std::string* out) {
  Writer writer(moment, out);
  for (const FormatItem& item : format.items()) {
    if (writer.Write(item)) continue;
    const std::string_view lacking = item.piece >= FormatPiece::kZoneName ? "zone"
                                     : moment.days                        ? "time"
                                                                          : "date";
    return UserError("the format '", format.text().substr(0, 60), "' asks for a ", lacking,
                     ", which the value doesn't have");
  }
  return Status::OK();
}

}  // namespace lance::query
