#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/expr/source.h"

namespace lance::query {

enum class TokenKind : uint8_t {
  kEnd,
  kWord,        ///< an identifier or keyword
  kQuotedName,  ///< `name`
  kString,      ///< 'text' or "text"
  kHexString,   ///< X'0102'
  kInteger,     ///< digits
  kDecimal,     ///< digits with a point or an exponent
  kSymbol,      ///< an operator or a bracket
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  SourceSpan at;
  /// Words, numbers and symbols as written; names and strings without quotes, doubled quotes
  /// made single.
  std::string text;

  bool IsSymbol(std::string_view symbol) const {
    return kind == TokenKind::kSymbol && text == symbol;
  }
  /// ASCII letters in any case.
  bool IsKeyword(std::string_view lower_case) const;
};

/// Splits an expression into tokens, the last of which is kEnd. Comments (`-- …`, `/* … */`) count
/// as white space. One pass, whatever the input.
Result<std::vector<Token>> Tokenize(const Source& source);

}  // namespace lance::query
