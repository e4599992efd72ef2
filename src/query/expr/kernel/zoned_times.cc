#include "query/expr/kernel/zoned_times.h"

#include <algorithm>

#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/zone.h"

namespace lance::query {

void ZonedTimes::Add(std::string_view zone, int64_t row, int64_t local) {
  auto found = by_zone_.find(zone);
  if (found == by_zone_.end()) found = by_zone_.emplace(std::string(zone), Times{}).first;
  found->second.rows.push_back(row);
  found->second.locals.push_back(local);
}

void ZonedTimes::Resolve(const std::function<void(int64_t, std::optional<int64_t>)>& use) const {
  for (const auto& [name, times] : by_zone_) {
    const auto zone = Zone::Named(name);
    for (size_t i = 0; i < times.rows.size(); ++i) {
      std::optional<int64_t> instant;
      if (zone.ok()) {
        instant = ZoneClock(**zone, UnitsPerSecond(unit_)).OnlyInstantOf(times.locals[i]);
      }
      use(times.rows[i], instant);
    }
  }
}

bool IsZoneName(std::string_view text) {
  auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') ||
           std::string_view("/_+-").find(c) != std::string_view::npos;
  });
}

}  // namespace lance::query
