#include "query/expr/source.h"

#include <algorithm>

namespace lance::query {
namespace {

constexpr size_t kExcerptBytes = 40;

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// At most kExcerptBytes from `begin`, not ending inside of a character.
std::string Excerpt(std::string_view text, size_t begin) {
  std::string_view rest = text.substr(std::min(begin, text.size()));
  if (rest.size() <= kExcerptBytes) return std::string(rest);
  size_t end = kExcerptBytes;
  while (end > 0 && IsContinuation(rest[end])) --end;
  return std::string(rest.substr(0, end)) + "…";
}

}  // namespace

SourceSpan Join(SourceSpan first, SourceSpan last) { return {first.begin, last.end}; }

std::string_view Source::TextAt(SourceSpan span) const {
  if (span.begin >= text_.size()) return {};
  return text_.substr(span.begin, span.end - span.begin);
}

Status Source::ErrorAt(SourceSpan span, std::string_view message) const {
  if (!has_positions_) return UserError(message);
  if (span.begin >= text_.size()) {
    return UserError(message, ", at the end of the expression");
  }
  std::string_view before = text_.substr(0, span.begin);
  auto characters =
      std::count_if(before.begin(), before.end(), [](char byte) { return !IsContinuation(byte); });
  return UserError(message, ", at character ", characters + 1, " of the expression: '",
                   Excerpt(text_, span.begin), "'");
}

}  // namespace lance::query
