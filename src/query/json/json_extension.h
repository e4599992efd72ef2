#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lance::query {

/// The text of an extension value of JSONB, which JSON shows as a string: other writers store
/// bytes, dates and times so.
///
///     payload = tag(1) then, big-endian,
///       00 bytes                                            upper-case hexadecimal
///       10 days(i32) since 1970-01-01                       2022-01-08
///       20 microseconds(i64) since 1970-01-01               2023-11-14 22:13:20.123456
///       30 the same in UTC, offset in seconds(i32)          local time and +0530
///          or in hours(i8), as older writers have it
///       40 months(i32) days(i32) microseconds(i64)          1 year 2 months -3 days
///       01:02:03.000004
///
/// nullopt if the payload is none of these, or a date that no calendar has.
std::optional<std::string> ExtensionText(std::string_view payload);

}  // namespace lance::query
