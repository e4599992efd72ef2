#include "query/expr/kernel/interval_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace lance::query {
namespace {

constexpr int64_t kSecond = int64_t{1000} * 1000 * 1000;
constexpr int64_t kDay = 86400 * kSecond;

struct IntervalUnit {
  std::string_view name;
  int64_t months;
  int64_t nanos;
};
/// Each may have an `s` behind it.
constexpr std::array<IntervalUnit, 32> kUnits = {{
    {"century", 1200, 0},
    {"centurie", 1200, 0},
    {"decade", 120, 0},
    {"year", 12, 0},
    {"yr", 12, 0},
    {"y", 12, 0},
    {"month", 1, 0},
    {"mon", 1, 0},
    {"week", 0, 7 * kDay},
    {"w", 0, 7 * kDay},
    {"day", 0, kDay},
    {"d", 0, kDay},
    {"hour", 0, 3600 * kSecond},
    {"hr", 0, 3600 * kSecond},
    {"h", 0, 3600 * kSecond},
    {"minute", 0, 60 * kSecond},
    {"min", 0, 60 * kSecond},
    {"m", 0, 60 * kSecond},
    {"second", 0, kSecond},
    {"sec", 0, kSecond},
    {"s", 0, kSecond},
    {"millisecond", 0, 1000 * 1000},
    {"msecond", 0, 1000 * 1000},
    {"msec", 0, 1000 * 1000},
    {"ms", 0, 1000 * 1000},
    {"microsecond", 0, 1000},
    {"usecond", 0, 1000},
    {"usec", 0, 1000},
    {"us", 0, 1000},
    {"nanosecond", 0, 1},
    {"nsec", 0, 1},
    {"ns", 0, 1},
}};

const IntervalUnit* UnitNamed(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  auto find = [](std::string_view wanted) {
    return std::find_if(kUnits.begin(), kUnits.end(),
                        [&](const IntervalUnit& unit) { return unit.name == wanted; });
  };
  auto found = find(lower);
  if (found == kUnits.end() && lower.ends_with('s')) {
    found = find(std::string_view(lower).substr(0, lower.size() - 1));
  }
  return found == kUnits.end() ? nullptr : &*found;
}

std::string_view TakeWord(std::string_view* text) {
  constexpr std::string_view kBlanks = " \t\n\r";
  text->remove_prefix(std::min(text->find_first_not_of(kBlanks), text->size()));
  const std::string_view word = text->substr(0, text->find_first_of(kBlanks));
  text->remove_prefix(word.size());
  return word;
}

/// A number with up to nine digits after the point, in billionths.
std::optional<__int128> Billionths(std::string_view text) {
  constexpr size_t kMostDigits = 9;
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  std::string fraction(text.substr(std::min(point + 1, text.size())));
  if ((point < text.size() && fraction.empty()) || fraction.size() > kMostDigits) {
    return std::nullopt;
  }
  fraction.resize(kMostDigits, '0');
  auto read = [](const std::string& of) -> std::optional<int64_t> {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(of.data(), of.data() + of.size(), value);
    const bool is_number = error == std::errc() && end == of.data() + of.size() && value >= 0;
    return is_number && !of.starts_with('-') ? std::optional(value) : std::nullopt;
  };
  auto whole = read(digits);
  auto rest = read(fraction);
  if (!whole || !rest) return std::nullopt;
  const __int128 value = static_cast<__int128>(*whole) * kSecond + *rest;
  return is_negative ? -value : value;
}

}  // namespace

std::optional<Interval> ParseInterval(std::string_view text) {
  Interval interval;
  bool is_empty = true;
  while (true) {
    const std::string_view number = TakeWord(&text);
    if (number.empty()) break;
    is_empty = false;
    auto count = Billionths(number);
    const IntervalUnit* unit = UnitNamed(TakeWord(&text));
    if (!count || unit == nullptr) return std::nullopt;
    if (unit->months > 0) {
      const __int128 months = *count * unit->months;
      if (months % kSecond != 0) return std::nullopt;
      const __int128 whole = months / kSecond;
      if (whole != static_cast<int64_t>(whole) ||
          __builtin_add_overflow(interval.months, static_cast<int64_t>(whole), &interval.months)) {
        return std::nullopt;
      }
      continue;
    }
    __int128 nanos = 0;
    if (__builtin_mul_overflow(*count, static_cast<__int128>(unit->nanos), &nanos)) {
      return std::nullopt;
    }
    nanos /= kSecond;
    if (nanos != static_cast<int64_t>(nanos) ||
        __builtin_add_overflow(interval.nanos, static_cast<int64_t>(nanos), &interval.nanos)) {
      return std::nullopt;
    }
  }
  return is_empty ? std::nullopt : std::optional(interval);
}

}  // namespace lance::query
