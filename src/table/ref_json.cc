#include "table/ref_json.h"

#include <chrono>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace lance {

std::optional<std::string> OptionalText(const nlohmann::json& object, const char* key) {
  auto at = object.find(key);
  if (at == object.end() || !at->is_string()) return std::nullopt;
  return at->get<std::string>();
}

std::optional<uint64_t> OptionalNumber(const nlohmann::json& object, const char* key) {
  auto at = object.find(key);
  if (at == object.end() || !at->is_number_unsigned()) return std::nullopt;
  return at->get<uint64_t>();
}

std::map<std::string, std::string> TextMap(const nlohmann::json& object, const char* key) {
  std::map<std::string, std::string> map;
  auto at = object.find(key);
  if (at == object.end() || !at->is_object()) return map;
  for (const auto& [name, value] : at->items()) {
    if (value.is_string()) map[name] = value.get<std::string>();
  }
  return map;
}

std::string FormatTimestamp(int64_t time_ns) {
  using std::chrono::nanoseconds;
  std::chrono::sys_time<nanoseconds> time{nanoseconds(time_ns)};
  auto day = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day date(day);
  std::chrono::hh_mm_ss<nanoseconds> clock(time - day);
  char text[48];
  std::snprintf(
      text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d.%09dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text;
}

}  // namespace lance
