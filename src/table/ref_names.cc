#include "table/ref_names.h"

#include <algorithm>
#include <cctype>

namespace lance {
namespace {

constexpr std::string_view kLockSuffix = ".lock";

/// Bytes of characters beyond ASCII are taken for letters.
bool IsNameByte(char c) {
  auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '.' || c == '-' || c == '_';
}

bool HasNameBytesOnly(std::string_view text) {
  return std::all_of(text.begin(), text.end(), IsNameByte);
}

Status Invalid(std::string_view kind, std::string_view name, std::string_view why) {
  return UserError("not a valid ", kind, " name: '", name, "': ", why);
}

Status CheckEnds(std::string_view kind, std::string_view name) {
  if (name.empty()) return Invalid(kind, name, "it is empty");
  if (name.find("..") != std::string_view::npos) return Invalid(kind, name, "it contains '..'");
  if (name.ends_with(kLockSuffix)) return Invalid(kind, name, "it ends in '.lock'");
  return Status::OK();
}

}  // namespace

Status CheckTagName(std::string_view name) {
  ARROW_RETURN_NOT_OK(CheckEnds("tag", name));
  if (!HasNameBytesOnly(name)) {
    return Invalid("tag", name, "characters must be either alphanumeric, '.', '-' or '_'");
  }
  if (name.starts_with('.') || name.ends_with('.')) {
    return Invalid("tag", name, "it starts or ends with a dot");
  }
  return Status::OK();
}

Status CheckBranchName(std::string_view name) {
  ARROW_RETURN_NOT_OK(CheckEnds("branch", name));
  if (name == kMainBranch) return Invalid("branch", name, "it is the name of the main branch");
  for (std::string_view rest = name;;) {
    std::string_view segment = rest.substr(0, rest.find('/'));
    if (segment.empty()) return Invalid("branch", name, "a part between slashes is empty");
    if (!HasNameBytesOnly(segment)) {
      return Invalid("branch", name, "characters must be either alphanumeric, '.', '-' or '_'");
    }
    if (segment.size() == rest.size()) return Status::OK();
    rest.remove_prefix(segment.size() + 1);
  }
}

}  // namespace lance
