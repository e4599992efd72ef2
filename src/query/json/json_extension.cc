#include "query/json/json_extension.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "query/json/json_layout.h"

namespace lance::query {
namespace {

enum class ExtensionTag : uint8_t {
  kBytes = 0x00,
  kDate = 0x10,
  kTimestamp = 0x20,
  kTimestampWithZone = 0x30,
  kInterval = 0x40,
};

constexpr int64_t kMicros = 1'000'000;
constexpr int64_t kDaySeconds = 24 * 60 * 60;
// The years -9999 to 9999.
constexpr int64_t kFirstDay = -4'371'587;
constexpr int64_t kLastDay = 2'932'896;
// Times that are within these years at any offset; others show as the nearest one.
constexpr int64_t kFirstSecond = -377'705'023'201;
constexpr int64_t kLastSecond = 253'402'207'200;
constexpr int64_t kMostOffsetSeconds = 25 * 3600 + 59 * 60 + 59;

/// With zeros in front up to a width, which the sign is a part of.
void AppendPadded(int64_t number, size_t width, std::string* text) {
  const std::string digits = std::to_string(std::abs(number));
  const size_t size = digits.size() + (number < 0 ? 1 : 0);
  if (number < 0) text->push_back('-');
  text->append(width > size ? width - size : 0, '0');
  *text += digits;
}

/// `05:30:00`, separated by any character.
void AppendParts(std::array<int64_t, 3> parts, char separator, std::string* text) {
  AppendPadded(parts[0], 2, text);
  for (size_t i = 1; i < parts.size(); ++i) {
    text->push_back(separator);
    AppendPadded(parts[i], 2, text);
  }
}

std::array<int64_t, 3> ClockOf(int64_t seconds) {
  return {seconds / 3600, seconds / 60 % 60, seconds % 60};
}

template <typename Number>
Number ReadNumber(std::string_view bytes, size_t at) {
  const uint64_t bits = ReadBigEndian(bytes.substr(at, sizeof(Number)));
  return static_cast<Number>(bits);
}

int64_t FloorDivide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

struct Date {
  int64_t year;
  int64_t month;
  int64_t day;
};

/// Counted from March, so that the day of a leap year is the last one; 400 years repeat.
Date DateOfDay(int64_t days) {
  constexpr int64_t kEraDays = 146'097;
  constexpr int64_t kDaysTo1970 = 719'468;  // from 1 March of the year 0
  const int64_t shifted = days + kDaysTo1970;
  const int64_t era = FloorDivide(shifted, kEraDays);
  const int64_t of_era = shifted - era * kEraDays;
  const int64_t year = (of_era - of_era / 1'460 + of_era / 36'524 - of_era / 146'096) / 365;
  const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const int64_t from_march = (5 * of_year + 2) / 153;
  const int64_t month = from_march < 10 ? from_march + 3 : from_march - 9;
  return {year + era * 400 + (month <= 2 ? 1 : 0), month, of_year - (153 * from_march + 2) / 5 + 1};
}

std::string HexText(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  text.reserve(2 * bytes.size());
  for (char c : bytes) {
    text.push_back(kDigits[static_cast<uint8_t>(c) >> 4]);
    text.push_back(kDigits[static_cast<uint8_t>(c) & 15]);
  }
  return text;
}

std::optional<std::string> DateText(int64_t days) {
  if (days < kFirstDay || days > kLastDay) return std::nullopt;
  const Date date = DateOfDay(days);
  std::string text;
  // Years before 0 have a sign and six digits.
  AppendPadded(date.year, date.year < 0 ? 7 : 4, &text);
  text.push_back('-');
  AppendPadded(date.month, 2, &text);
  text.push_back('-');
  AppendPadded(date.day, 2, &text);
  return text;
}

/// `offset`: seconds that the clock of the place is ahead of UTC.
std::string TimestampText(int64_t micros, int64_t offset) {
  int64_t seconds = FloorDivide(micros, kMicros);
  int64_t fraction = micros - seconds * kMicros;
  if (seconds < kFirstSecond || seconds > kLastSecond) {
    seconds = std::clamp(seconds, kFirstSecond, kLastSecond);
    fraction = 0;
  }
  seconds += offset;
  const int64_t days = FloorDivide(seconds, kDaySeconds);
  const Date date = DateOfDay(days);
  std::string text;
  AppendPadded(date.year, 4, &text);
  text.push_back('-');
  AppendPadded(date.month, 2, &text);
  text.push_back('-');
  AppendPadded(date.day, 2, &text);
  text.push_back(' ');
  AppendParts(ClockOf(seconds - days * kDaySeconds), ':', &text);
  text.push_back('.');
  AppendPadded(fraction, 6, &text);
  return text;
}

std::optional<std::string> ZonedText(int64_t micros, int64_t offset) {
  const int64_t size = std::abs(offset);
  if (size > kMostOffsetSeconds) return std::nullopt;
  std::string text = TimestampText(micros, offset) + (offset < 0 ? " -" : " +");
  const auto [hours, minutes, seconds] = ClockOf(size);
  AppendPadded(hours, 2, &text);
  AppendPadded(minutes, 2, &text);
  if (seconds != 0) AppendPadded(seconds, 2, &text);
  return text;
}

void AppendUnit(int64_t count, std::string_view unit, std::string* text) {
  if (count == 0) return;
  if (!text->empty()) text->push_back(' ');
  *text += std::to_string(count) + " ";
  *text += unit;
  if (std::abs(count) != 1) text->push_back('s');
}

std::string IntervalText(int64_t months, int64_t days, int64_t micros) {
  std::string text;
  AppendUnit(months / 12, "year", &text);
  AppendUnit(months % 12, "month", &text);
  AppendUnit(days, "day", &text);
  if (micros == 0 && !text.empty()) return text;
  if (!text.empty()) text.push_back(' ');
  if (micros < 0) text.push_back('-');
  const auto fraction = std::abs(micros % kMicros);
  AppendParts(ClockOf(std::abs(micros / kMicros)), ':', &text);
  if (fraction == 0) return text;
  text.push_back('.');
  AppendPadded(fraction, 6, &text);
  return text;
}

}  // namespace

std::optional<std::string> ExtensionText(std::string_view payload) {
  if (payload.empty()) return std::nullopt;
  const std::string_view rest = payload.substr(1);
  switch (static_cast<ExtensionTag>(payload[0])) {
    case ExtensionTag::kBytes:
      return HexText(rest);
    case ExtensionTag::kDate:
      if (rest.size() != 4) return std::nullopt;
      return DateText(ReadNumber<int32_t>(rest, 0));
    case ExtensionTag::kTimestamp:
      if (rest.size() != 8) return std::nullopt;
      return TimestampText(ReadNumber<int64_t>(rest, 0), 0);
    case ExtensionTag::kTimestampWithZone:
      if (rest.size() == 9) {
        return ZonedText(ReadNumber<int64_t>(rest, 0), ReadNumber<int8_t>(rest, 8) * 3600);
      }
      if (rest.size() != 12) return std::nullopt;
      return ZonedText(ReadNumber<int64_t>(rest, 0), ReadNumber<int32_t>(rest, 8));
    case ExtensionTag::kInterval:
      if (rest.size() != 16) return std::nullopt;
      return IntervalText(ReadNumber<int32_t>(rest, 0), ReadNumber<int32_t>(rest, 4),
                          ReadNumber<int64_t>(rest, 8));
  }
  return std::nullopt;
}

}  // namespace lance::query
