#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the name that the library has
class App;
}

namespace lance::cli {

/// Checks that an argument is a whole number from `least` on that fits 64 bits: what is wrong, or
/// nothing. CLI11's own checks print the limits of double, and take numbers that are too large for
/// the largest one.
std::function<std::string(const std::string&)> WholeNumber(uint64_t least = 0);

/// `--filter`
void AddFilter(CLI::App* verb, std::optional<std::string>* filter);

}  // namespace lance::cli
