#pragma once

#include <cstddef>
#include <string_view>

namespace lance::query {

/// Needles of up to so many bytes are best compared at each place where their first and last byte
/// are; the time is linear as they are short.
constexpr size_t kShortNeedle = 16;

/// Where a short needle, which is not empty, begins in [at, end); `end` if it doesn't.
const char* FindShortNeedle(const char* at, const char* end, std::string_view needle);

}  // namespace lance::query
