#include "query/expr/kernel/value_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <type_traits>

#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/zoned_times.h"

namespace lance::query {
namespace {

constexpr int64_t kNanosPerSecond = 1000 * 1000 * 1000;

/// At least `width` digits of a number that is not negative.
void AppendPadded(int64_t value, size_t width, std::string* out) {
  constexpr size_t kMostDigits = 20;
  std::array<char, kMostDigits> digits;
  size_t begin = kMostDigits;
  do {
    digits[--begin] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value > 0);
  const size_t count = kMostDigits - begin;
  if (count < width) out->append(width - count, '0');
  out->append(digits.data() + begin, count);
}

std::string Padded(int64_t value, size_t width) {
  std::string digits;
  AppendPadded(value, width, &digits);
  return digits;
}

/// The shortest digits of a number, and where its point is: 0.d₁d₂d₃… · 10^point.
struct Digits {
  std::string digits;
  int32_t point = 0;
};

template <typename T>
Digits ShortestDigits(T magnitude) {
  std::array<char, 64> buffer;
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude,
                                    std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
  size_t exponent = text.find('e');
  Digits result;
  for (char c : text.substr(0, exponent)) {
    if (c != '.') result.digits += c;
  }
  int32_t power = 0;
  std::string_view power_text = text.substr(exponent + 1);
  if (power_text.starts_with('+')) power_text.remove_prefix(1);
  std::from_chars(power_text.data(), power_text.data() + power_text.size(), power);
  result.point = power + 1;
  return result;
}

/// Numbers that are not usual.
template <typename T>
std::string FarText(T value) {
  if (std::isnan(value)) return "NaN";
  std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  if (value == 0) return sign + "0.0";
  constexpr bool kIsDouble = std::is_same_v<T, double>;
  constexpr int32_t kLongestFixed = kIsDouble ? 16 : 13;
  constexpr int32_t kMostLeadingZeros = kIsDouble ? 4 : 5;
  auto [digits, point] = ShortestDigits(std::abs(value));
  auto count = static_cast<int32_t>(digits.size());
  if (point > 0 && point <= kLongestFixed) {
    if (count <= point)
      return sign + digits + std::string(static_cast<size_t>(point - count), '0') + ".0";
    return sign + digits.substr(0, static_cast<size_t>(point)) + "." +
           digits.substr(static_cast<size_t>(point));
  }
  if (point <= 0 && point >= -kMostLeadingZeros) {
    return sign + "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  }
  std::string exponent = "e" + std::to_string(point - 1);
  if (count == 1) return sign + digits + exponent;
  return sign + digits.substr(0, 1) + "." + digits.substr(1) + exponent;
}

/// Writes a number of few digits, four of them behind the point at most; nullptr for others. No two
/// of so few digits are the same number, so that these are the shortest.
template <typename T>
char* WriteShort(T value, char* out) {
  constexpr T kPower = 10'000;
  constexpr T kMostDigits = std::is_same_v<T, double> ? T(1e15) : T(1e6);
  const T scaled = std::abs(value) * kPower + T(0.5);
  if (!(scaled < kMostDigits)) return nullptr;
  auto digits = static_cast<uint64_t>(scaled);
  // A division of two exact numbers is rounded once, like a number that is read.
  if (static_cast<T>(digits) / kPower != std::abs(value)) return nullptr;
  if (std::signbit(value)) *out++ = '-';
  constexpr size_t kMostWhole = 20;
  out = std::to_chars(out, out + kMostWhole, digits / 10'000).ptr;
  *out++ = '.';
  digits %= 10'000;
  do {
    *out++ = static_cast<char>('0' + digits / 1000);
    digits = digits % 1000 * 10;
  } while (digits > 0);
  return out;
}

template <typename T>
std::string_view ShortestText(T value, TextBuffer* buffer) {
  constexpr bool kIsDouble = std::is_same_v<T, double>;
  // Where whole numbers are exact, the digits in front of the point are those of the shortest form.
  constexpr T kMostExact = kIsDouble ? T{1LL << 53} : T{1 << 24};
  constexpr T kLeastFixed = kIsDouble ? T(1e-4) : T(1e-5);
  char* const begin = buffer->data();
  if (std::abs(value) < kMostExact && std::abs(value) > kLeastFixed) {
    if (const char* end = WriteShort(value, begin)) return {begin, end};
    char* end = std::to_chars(begin, begin + buffer->size(), value, std::chars_format::fixed).ptr;
    if (value == std::trunc(value)) end = std::copy_n(".0", 2, end);
    return {begin, end};
  }
  const std::string text = FarText(value);
  return {begin, std::copy(text.begin(), text.end(), begin)};
}

template <typename T>
std::string TextWithoutExponent(T value) {
  if (std::isnan(value)) return "NaN";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  if (value == 0) return sign + "0";
  const auto [digits, point] = ShortestDigits(std::abs(value));
  const auto count = static_cast<int32_t>(digits.size());
  if (point <= 0) return sign + "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  const auto whole = static_cast<size_t>(point);
  if (count <= point) return sign + digits + std::string(whole - digits.size(), '0');
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

template <typename T>
std::optional<T> ParseReal(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || (digits != text && digits.starts_with('-'))) return std::nullopt;
  T value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  // nan(…) is C, not SQL.
  if (digits.back() == ')') return std::nullopt;
  if (error == std::errc()) return value;
  // Too large or too small for T: from_chars doesn't say which.
  size_t exponent = digits.find_first_of("eE");
  bool is_tiny = exponent != std::string_view::npos && digits.substr(exponent + 1).starts_with('-');
  T magnitude = is_tiny ? T{0} : std::numeric_limits<T>::infinity();
  return digits.starts_with('-') ? -magnitude : magnitude;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Reads numbers and separators of a date or time from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool AtEnd() const { return text_.empty(); }
  std::string_view rest() const { return text_; }
  char Peek() const { return text_.empty() ? '\0' : text_[0]; }
  bool Take(char c) {
    if (Peek() != c || text_.empty()) return false;
    text_.remove_prefix(1);
    return true;
  }
  size_t CountDigits() const {
    size_t count = 0;
    while (count < text_.size() && IsDigit(text_[count])) ++count;
    return count;
  }
  /// A number of `least` to `most` digits.
  std::optional<int32_t> Number(size_t least, size_t most) {
    size_t count = 0;
    int32_t value = 0;
    for (; count < std::min(most, text_.size()) && IsDigit(text_[count]); ++count) {
      value = value * 10 + (text_[count] - '0');
    }
    if (count < least) return std::nullopt;
    text_.remove_prefix(count);
    return value;
  }
  /// Digits of a fraction as nanoseconds; those after the ninth are cut off.
  std::optional<int64_t> Nanoseconds() {
    size_t count = CountDigits();
    if (count == 0) return std::nullopt;
    int64_t value = 0;
    for (size_t i = 0; i < 9; ++i) value = value * 10 + (i < count ? text_[i] - '0' : 0);
    text_.remove_prefix(count);
    return value;
  }

 private:
  std::string_view text_;
};

std::optional<CivilDate> ReadDate(Cursor* cursor) {
  // Years of more than four digits have a sign.
  constexpr size_t kMostYearDigits = 6;
  CivilDate date;
  bool is_negative = cursor->Peek() == '-';
  const bool is_signed = is_negative || cursor->Peek() == '+';
  if (is_signed) cursor->Take(cursor->Peek());
  constexpr size_t kCompactDigits = 8;
  bool is_compact = cursor->CountDigits() == kCompactDigits;
  auto year =
      is_compact ? cursor->Number(4, 4) : cursor->Number(4, is_signed ? kMostYearDigits : 4);
  if (!year || (!is_compact && !cursor->Take('-'))) return std::nullopt;
  auto month = cursor->Number(is_compact ? 2 : 1, 2);
  if (!month || (!is_compact && !cursor->Take('-'))) return std::nullopt;
  auto day = cursor->Number(is_compact ? 2 : 1, 2);
  if (!day) return std::nullopt;
  date = {is_negative ? -*year : *year, *month, *day};
  if (date.month < 1 || date.month > 12) return std::nullopt;
  if (date.day < 1 || date.day > DaysInMonth(date.year, date.month)) return std::nullopt;
  return date;
}

/// Nanoseconds since midnight. In timestamps the seconds are there, and may be 60: a leap second.
std::optional<int64_t> ReadTime(Cursor* cursor, bool in_timestamp, bool* is_leap = nullptr) {
  constexpr size_t kCompactDigits = 6;
  const bool is_compact = in_timestamp && cursor->CountDigits() == kCompactDigits;
  auto hour = cursor->Number(in_timestamp ? 2 : 1, 2);
  if (!hour || *hour > 23 || (!is_compact && !cursor->Take(':'))) return std::nullopt;
  auto minute = cursor->Number(2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  int64_t seconds = (*hour * 60 + *minute) * 60;
  if (!is_compact && !cursor->Take(':')) {
    return in_timestamp ? std::nullopt : std::optional<int64_t>(seconds * kNanosPerSecond);
  }
  auto second = cursor->Number(2, 2);
  if (!second || *second > (in_timestamp ? 60 : 59)) return std::nullopt;
  if (is_leap != nullptr) *is_leap = *second == 60;
  seconds += *second;
  if (!cursor->Take('.')) return seconds * kNanosPerSecond;
  auto nanos = cursor->Nanoseconds();
  if (!nanos) return std::nullopt;
  return seconds * kNanosPerSecond + *nanos;
}

/// `Z`, `+02:00`, `-0330`, `+02`: seconds east of Greenwich.
std::optional<int64_t> ReadZone(Cursor* cursor) {
  if (cursor->Take('Z') || cursor->Take('z')) return 0;
  if (cursor->Take('U')) {
    return cursor->Take('T') && cursor->Take('C') ? std::optional<int64_t>(0) : std::nullopt;
  }
  int64_t sign = cursor->Peek() == '-' ? -1 : 1;
  if (!cursor->Take('+') && !cursor->Take('-')) return std::nullopt;
  auto hour = cursor->Number(2, 2);
  if (!hour || *hour > 23) return std::nullopt;
  cursor->Take(':');
  auto minute = cursor->AtEnd() ? std::optional<int32_t>(0) : cursor->Number(2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  return sign * (*hour * 60 + *minute) * 60;
}

void AppendFraction(int64_t nanos, std::string* out) {
  if (nanos == 0) return;
  *out += '.';
  if (nanos % (1000 * 1000) == 0) return AppendPadded(nanos / (1000 * 1000), 3, out);
  if (nanos % 1000 == 0) return AppendPadded(nanos / 1000, 6, out);
  AppendPadded(nanos, 9, out);
}

void AppendClock(int64_t second_of_day, int64_t nanos, std::string* out) {
  AppendPadded(second_of_day / 3600, 2, out);
  *out += ':';
  AppendPadded(second_of_day / 60 % 60, 2, out);
  *out += ':';
  AppendPadded(second_of_day % 60, 2, out);
  AppendFraction(nanos, out);
}

void AppendDate(int64_t days, std::string* out) {
  const CivilDate date = DateOf(days);
  if (date.year < 0 || date.year > 9999) *out += date.year < 0 ? '-' : '+';
  AppendPadded(std::abs(date.year), 4, out);
  *out += '-';
  AppendPadded(date.month, 2, out);
  *out += '-';
  AppendPadded(date.day, 2, out);
}

}  // namespace

std::string_view FloatText(float value, TextBuffer* buffer) { return ShortestText(value, buffer); }
std::string_view FloatText(double value, TextBuffer* buffer) { return ShortestText(value, buffer); }

std::string PlainText(float value) { return TextWithoutExponent(value); }
std::string PlainText(double value) { return TextWithoutExponent(value); }

std::string HalfFloatText(float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer;
  auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return {buffer.data(), end};
}

std::string DecimalText(const arrow::Decimal256& value, int32_t scale) {
  std::string digits = value.ToIntegerString();
  const size_t sign = digits.starts_with('-') ? 1 : 0;
  if (scale <= 0) {
    if (value != arrow::Decimal256(0)) digits.append(static_cast<size_t>(-scale), '0');
    return digits;
  }
  const auto places = static_cast<size_t>(scale);
  if (digits.size() - sign <= places) {
    digits.insert(sign, places + 1 - (digits.size() - sign), '0');
  }
  digits.insert(digits.size() - places, 1, '.');
  return digits;
}

std::string DateText(int64_t days) {
  std::string text;
  AppendDate(days, &text);
  return text;
}

std::string TimestampText(int64_t value, arrow::TimeUnit::type unit) {
  int64_t per_second = UnitsPerSecond(unit);
  int64_t seconds = FloorDivide(value, per_second);
  int64_t nanos = FloorModulo(value, per_second) * (kNanosPerSecond / per_second);
  std::string text;
  constexpr size_t kUsualBytes = 30;
  text.reserve(kUsualBytes);
  AppendDate(FloorDivide(seconds, kSecondsPerDay), &text);
  text += 'T';
  AppendClock(FloorModulo(seconds, kSecondsPerDay), nanos, &text);
  return text;
}

std::string TimeText(int64_t value, arrow::TimeUnit::type unit) {
  int64_t per_second = UnitsPerSecond(unit);
  std::string text;
  AppendClock(FloorDivide(value, per_second),
              FloorModulo(value, per_second) * (kNanosPerSecond / per_second), &text);
  return text;
}

std::string DurationText(int64_t value, arrow::TimeUnit::type unit) {
  int64_t per_second = UnitsPerSecond(unit);
  int64_t seconds = value / per_second;
  int64_t fraction = value % per_second;
  int64_t second = seconds % 60;
  std::string sign = second < 0 || fraction < 0 ? "-" : "";
  std::string text = std::to_string(seconds / kSecondsPerDay) + " days " +
                     std::to_string(seconds / 3600 % 24) + " hours " +
                     std::to_string(seconds / 60 % 60) + " mins " + sign +
                     std::to_string(std::abs(second));
  if (unit != arrow::TimeUnit::SECOND) {
    text += "." + Padded(std::abs(fraction), 3 * static_cast<size_t>(unit));
  }
  return text + " secs";
}

std::string IsoDurationText(int64_t value, arrow::TimeUnit::type unit) {
  if (value == 0) return "P0D";
  const auto per_second = static_cast<uint64_t>(UnitsPerSecond(unit));
  // The magnitude of the least number has no place in an int64.
  const uint64_t magnitude =
      value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  std::string text = (value < 0 ? "-PT" : "PT") + std::to_string(magnitude / per_second);
  if (const uint64_t fraction = magnitude % per_second; fraction > 0) {
    std::string digits = Padded(static_cast<int64_t>(fraction), 3 * static_cast<size_t>(unit));
    digits.resize(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text + "S";
}

std::optional<double> ParseDouble(std::string_view text) { return ParseReal<double>(text); }
std::optional<float> ParseFloat(std::string_view text) { return ParseReal<float>(text); }

template <typename T>
std::optional<T> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  if constexpr (std::is_unsigned_v<T>) {
    // `-0` is a number without a sign, too.
    const bool is_negative_zero = text.size() > 1 && text[0] == '-' &&
                                  text.find_first_not_of('0', 1) == std::string_view::npos;
    if (is_negative_zero) return T{0};
  }
  T value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}
template std::optional<int8_t> ParseInteger(std::string_view);
template std::optional<int16_t> ParseInteger(std::string_view);
template std::optional<int32_t> ParseInteger(std::string_view);
template std::optional<int64_t> ParseInteger(std::string_view);
template std::optional<uint8_t> ParseInteger(std::string_view);
template std::optional<uint16_t> ParseInteger(std::string_view);
template std::optional<uint32_t> ParseInteger(std::string_view);
template std::optional<uint64_t> ParseInteger(std::string_view);

std::optional<bool> ParseBoolean(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  constexpr size_t kLongest = 5;
  if (text.size() > kLongest) return std::nullopt;
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const char* word : {"true", "t", "yes", "y", "on", "1"}) {
    if (lower == word) return true;
  }
  for (const char* word : {"false", "f", "no", "n", "off", "0"}) {
    if (lower == word) return false;
  }
  return std::nullopt;
}

namespace {

/// Of a date, unless there is a sign, which far years have.
constexpr size_t kDateBytes = 10;

struct TimestampParts {
  int64_t days = 0;
  int64_t nanos = 0;  ///< of the day
  bool is_leap = false;
  std::optional<int64_t> offset;
  std::string_view zone_name;

  int64_t UtcSeconds() const {
    return days * kSecondsPerDay + nanos / kNanosPerSecond - offset.value_or(0);
  }
};

std::optional<TimestampParts> ReadTimestamp(std::string_view text) {
  const bool is_signed = text.starts_with('+') || text.starts_with('-');
  Cursor cursor(is_signed ? text : text.substr(0, kDateBytes));
  auto date = ReadDate(&cursor);
  if (!date) return std::nullopt;
  if (!is_signed) {
    if (text.size() < kDateBytes || !cursor.AtEnd()) return std::nullopt;
    cursor = Cursor(text.substr(kDateBytes));
  }
  TimestampParts parts;
  parts.days = DaysOf(*date);
  if (cursor.Take('T') || cursor.Take('t') || cursor.Take(' ')) {
    auto time = ReadTime(&cursor, /*in_timestamp=*/true, &parts.is_leap);
    if (!time) return std::nullopt;
    parts.nanos = *time;
    if (cursor.Take(' ') && cursor.Peek() == 'Z') return std::nullopt;
  } else if (!cursor.AtEnd()) {
    return std::nullopt;
  }
  if (cursor.AtEnd()) return parts;
  std::string_view name = cursor.rest();
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  auto zone = ReadZone(&cursor);
  if (zone && cursor.AtEnd()) {
    parts.offset = zone;
  } else if (IsZoneName(name)) {
    parts.zone_name = name;
  } else {
    return std::nullopt;
  }
  return parts;
}

}  // namespace

std::optional<int64_t> ParseDate(std::string_view text) {
  if (text.size() <= kDateBytes) {
    Cursor cursor(text);
    auto date = ReadDate(&cursor);
    return date && cursor.AtEnd() ? std::optional<int64_t>(DaysOf(*date)) : std::nullopt;
  }
  // A timestamp does as well. Its leap second belongs to the day that it ends.
  auto parts = ReadTimestamp(text);
  if (!parts || !parts->zone_name.empty()) return std::nullopt;
  return FloorDivide(parts->UtcSeconds() - (parts->is_leap ? 1 : 0), kSecondsPerDay);
}

std::optional<int64_t> ParseTimestamp(std::string_view text, arrow::TimeUnit::type unit,
                                      bool* has_zone, std::string_view* zone_name) {
  auto parts = ReadTimestamp(text);
  if (!parts || (zone_name == nullptr && !parts->zone_name.empty())) return std::nullopt;
  if (has_zone != nullptr && parts->offset) *has_zone = true;
  if (zone_name != nullptr && !parts->zone_name.empty()) *zone_name = parts->zone_name;
  const int64_t per_second = UnitsPerSecond(unit);
  const int64_t fraction = parts->nanos % kNanosPerSecond;
  int64_t value = 0;
  if (__builtin_mul_overflow(parts->UtcSeconds(), per_second, &value) ||
      __builtin_add_overflow(value, fraction / (kNanosPerSecond / per_second), &value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<int64_t> ParseTime(std::string_view text, arrow::TimeUnit::type unit) {
  Cursor cursor(text);
  auto nanos = ReadTime(&cursor, /*in_timestamp=*/false);
  if (!nanos || !cursor.AtEnd()) return std::nullopt;
  return *nanos / (kNanosPerSecond / UnitsPerSecond(unit));
}

}  // namespace lance::query
