#include "query/expr/source.h"

#include <algorithm>

namespace lance::query {
namespace {

constexpr size_t kExcerptBytes = 40;
/// Messages name things by their whole names, which may be of any length.
constexpr size_t kMessageBytes = 500;

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// At most `end` bytes, not ending inside of a character.
std::string Shortened(std::string_view text, size_t end) {
  if (text.size() <= end) return std::string(text);
  while (end > 0 && IsContinuation(text[end])) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace

SourceSpan Join(SourceSpan first, SourceSpan last) { return {first.begin, last.end}; }

std::string_view Source::TextAt(SourceSpan span) const {
  if (span.begin >= text_.size()) return {};
  return text_.substr(span.begin, span.end - span.begin);
}

Status Source::ErrorAt(SourceSpan span, std::string_view message) const {
  const std::string what = Shortened(message, kMessageBytes);
  if (!has_positions_) return UserError(what);
  if (span.begin >= text_.size()) {
    return UserError(what, ", at the end of the expression");
  }
  std::string_view before = text_.substr(0, span.begin);
  auto characters =
      std::count_if(before.begin(), before.end(), [](char byte) { return !IsContinuation(byte); });
  return UserError(what, ", at character ", characters + 1, " of the expression: '",
                   Shortened(text_.substr(span.begin), kExcerptBytes), "'");
}

}  // namespace lance::query
