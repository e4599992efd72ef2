#include <algorithm>
#include <charconv>

#include "cli/command.h"

namespace lance::cli {
namespace {

Result<VersionRef> ParseVersion(const std::string& text) {
  if (text.empty()) return VersionRef();
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return VersionRef(text);
  }
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number == 0) {
    return UserError("not the number of a version: ", text, "; `lance versions` lists them");
  }
  return VersionRef(number);
}

}  // namespace

Result<std::shared_ptr<Dataset>> OpenTable(const TableArguments& arguments) {
  OpenOptions options;
  ARROW_ASSIGN_OR_RAISE(options.version, ParseVersion(arguments.version));
  return Dataset::Open(arguments.uri, options);
}

std::optional<std::vector<std::string>> SplitColumns(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::vector<std::string> names(1);
  bool quoted = false;
  for (char c : *text) {
    if (c == '`') quoted = !quoted;
    if (c == ',' && !quoted) {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

}  // namespace lance::cli
