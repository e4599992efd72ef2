#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace lance::query {

/// A piece of a format such as `%Y-%m-%d`. Those that stand for several (`%F`) were taken apart.
enum class FormatPiece : uint8_t {
  kText,   ///< written as it is
  kSpace,  ///< blanks; any number of them when read
  // Numbers.
  kYear,
  kCentury,
  kYearOfCentury,
  kIsoYear,
  kIsoYearOfCentury,
  kQuarter,
  kMonth,
  kDay,
  kWeekFromSunday,
  kWeekFromMonday,
  kIsoWeek,
  kWeekdayFromSunday,  ///< from 0
  kWeekdayFromMonday,  ///< from 1
  kDayOfYear,
  kHour,
  kHour12,
  kMinute,
  kSecond,
  kNanosecond,  ///< of the second
  kEpoch,       ///< seconds since 1970
  // Names.
  kShortMonth,
  kLongMonth,
  kShortWeekday,
  kLongWeekday,
  kLowerAmPm,
  kUpperAmPm,
  // Fractions of a second: with a point, if there is one, or all digits.
  kFraction,
  kPointDigits,  ///< `.123`
  kDigits,       ///< `123`
  // Zones.
  kZoneName,
  kOffset,              ///< `+0100`
  kOffsetColon,         ///< `+01:00`
  kOffsetColonSeconds,  ///< `+01:00:00`
  kOffsetHour,          ///< `+01`
  kOffsetLenient,       ///< only read: also `Z`, `+01`
  kOffsetOrZ,           ///< of `%+`: as kOffsetColon, but `Z` is read too
};

struct FormatItem {
  FormatPiece piece = FormatPiece::kText;
  char pad = '\0';  ///< `0`, ` `, or nothing
  int width = 0;    ///< of numbers and digits
  std::string text{};
};

/// A format of dates and times, in the language of strftime as the reference knows it.
class DateFormat {
 public:
  static Result<DateFormat> Make(std::string_view format);

  const std::vector<FormatItem>& items() const { return items_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<FormatItem> items_;
};

/// What a format writes.
struct FormattedMoment {
  std::optional<int64_t> days{};  ///< since 1970; times of a day have none
  std::optional<int64_t> second_of_day{};
  int64_t nanos = 0;
  std::optional<int64_t> offset{};  ///< seconds east of Greenwich
};

/// Appends the moment. What it lacks is an error.
Status AppendFormatted(const DateFormat& format, const FormattedMoment& moment, std::string* out);

/// What a text says that was read by a format.
struct ParsedMoment {
  std::optional<int64_t> days;
  std::optional<int64_t> second_of_day;  ///< may be 86400, after a leap second
  int64_t nanos = 0;
  std::optional<int64_t> offset;
};

/// Nothing if the text is not of the format, or contradicts itself. Without all of a date (or a
/// time), that part is missing.
std::optional<ParsedMoment> ParseFormatted(const DateFormat& format, std::string_view text);

}  // namespace lance::query
