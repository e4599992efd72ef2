#pragma once

#include <array>
#include <string_view>

namespace lance::query {

/// The short ones are the first three letters.
constexpr std::array<std::string_view, 12> kMonthNames = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdayNames = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr size_t kShortNameBytes = 3;

}  // namespace lance::query
