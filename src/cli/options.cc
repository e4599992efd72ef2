#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <system_error>

namespace lance::cli {

std::function<std::string(const std::string&)> WholeNumber(uint64_t least) {
  return [least](const std::string& text) -> std::string {
    const char* end = text.data() + text.size();
    uint64_t number = 0;
    auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc::result_out_of_range) {
      return "'" + text + "' is too large: the largest number is 18446744073709551615";
    }
    if (error == std::errc() && stop == end && number >= least) return "";
    return "'" + text + "' is not a whole number from " + std::to_string(least) + " on";
  };
}

void AddFilter(CLI::App* verb, std::optional<std::string>* filter) {
  verb->add_option("--filter", *filter,
                   "Only rows for which this SQL condition is true (docs/expressions.md)");
}

}  // namespace lance::cli
