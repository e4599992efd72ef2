#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace lance::query {

/// Bytes [begin, end) of the text that an expression was written in.
struct SourceSpan {
  uint32_t begin = 0;
  uint32_t end = 0;

  bool operator==(const SourceSpan&) const = default;
};

/// From the start of one to the end of the other.
SourceSpan Join(SourceSpan first, SourceSpan last);

/// The text of an expression: says where in it an error is.
class Source {
 public:
  /// Positions have 32 bits.
  static constexpr size_t kMaxBytes = 256u << 20;

  explicit Source(std::string_view text) : text_(text) {}
  /// Of an expression that was not written as text: errors have no position.
  static Source WithoutText() {
    Source source{std::string_view()};
    source.has_positions_ = false;
    return source;
  }

  std::string_view text() const { return text_; }
  bool has_positions() const { return has_positions_; }
  std::string_view TextAt(SourceSpan span) const;

  /// `message, at character 5 of the expression: 'nope = 3'`
  Status ErrorAt(SourceSpan span, std::string_view message) const;

 private:
  std::string_view text_;
  bool has_positions_ = true;
};

}  // namespace lance::query
