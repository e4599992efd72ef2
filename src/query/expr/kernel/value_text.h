#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arrow/type.h"
#include "arrow/util/decimal.h"

namespace lance::query {

// Values as text, and back. What is not understood, or doesn't fit, is nullopt.

/// Room for the text of a number.
using TextBuffer = std::array<char, 64>;

/// Shortest digits that read back the same: `1.0`, `0.1`, `1e20`, `NaN`, `inf`.
std::string_view FloatText(float value, TextBuffer* buffer);
std::string_view FloatText(double value, TextBuffer* buffer);
/// The same digits without an exponent, and without `.0`: `1`, `0.0000001`.
std::string PlainText(float value);
std::string PlainText(double value);
/// Of a half float, whose text is that of all its digits: `3`, `0.1`, `0.00000012`.
std::string HalfFloatText(float value);
/// `1.50`, without an exponent.
std::string DecimalText(const arrow::Decimal256& value, int32_t scale);
/// `2021-01-31`; years beyond 9999 with a sign.
std::string DateText(int64_t days);
/// `2021-01-31T12:00:00`, with 3, 6 or 9 digits of a fraction if there is one.
std::string TimestampText(int64_t value, arrow::TimeUnit::type unit);
std::string TimeText(int64_t value, arrow::TimeUnit::type unit);
/// `1 days 2 hours 3 mins 4.000000 secs`
std::string DurationText(int64_t value, arrow::TimeUnit::type unit);
/// `PT3723.5S`, `-PT1S`, `P0D`
std::string IsoDurationText(int64_t value, arrow::TimeUnit::type unit);

/// `nan`, `inf`, `infinity` in any case too; no spaces.
std::optional<double> ParseDouble(std::string_view text);
std::optional<float> ParseFloat(std::string_view text);
template <typename T>
std::optional<T> ParseInteger(std::string_view text);
/// true, t, yes, y, on, 1 and their opposites, also with blanks around.
std::optional<bool> ParseBoolean(std::string_view text);
/// `2021-01-31`, `2021-1-1`, `20210131`; a time after it is left out, once it is in UTC.
std::optional<int64_t> ParseDate(std::string_view text);
/// `2021-01-31`, then optionally `T` or a space, a time of hours, minutes and seconds (60 is the
/// start of the next minute), and a zone (`Z`, `+02:00`, ` UTC`). In `unit` since the epoch; finer
/// digits are cut off. `has_zone`: whether there was a zone. With `zone_name` a zone may have a
/// name, which is returned with the local time; it is empty otherwise.
std::optional<int64_t> ParseTimestamp(std::string_view text, arrow::TimeUnit::type unit,
                                      bool* has_zone = nullptr,
                                      std::string_view* zone_name = nullptr);
/// `12:34`, `12:34:56.789`
std::optional<int64_t> ParseTime(std::string_view text, arrow::TimeUnit::type unit);

}  // namespace lance::query
