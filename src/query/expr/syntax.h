#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "query/expr/source.h"

namespace lance::query {

/// How deep an expression may be nested. Chains of AND, OR and || of any length count as one.
constexpr uint32_t kMaxDepth = 500;

enum class SyntaxKind : uint8_t {
  kLiteral,   ///< value
  kName,      ///< text; quoted: an exact name
  kMember,    ///< args[0].text
  kItem,      ///< args[0][args[1]]
  kNegative,  ///< -args[0]
  kNot,       ///< NOT args[0]
  kOperator,  ///< args[0] text args[1]; text is one of = <> < <= > >= + - * / % << >>
  kConcat,    ///< args[0] || args[1] || …
  kAnd,       ///< all args
  kOr,        ///< any of args
  kIs,        ///< args[0] IS text; text is one of null, true, false, unknown
  kDistinct,  ///< args[0] IS DISTINCT FROM args[1]
  kIn,        ///< args[0] IN (args[1], …)
  kBetween,   ///< args[0] BETWEEN args[1] AND args[2]
  kLike,      ///< args[0] LIKE args[1]; text is like or ilike
  kCase,      ///< pairs of condition and value, then the value of ELSE if the count is odd
  kCast,      ///< CAST(args[0] AS type); text is cast or try_cast
  kArray,     ///< [args[0], …]
  kCall,      ///< text(args[0], …); text in lower case
};

struct Syntax;
using SyntaxPtr = std::shared_ptr<const Syntax>;

/// A node of what a front end read: names are not resolved, types not known.
struct Syntax {
  SyntaxKind kind = SyntaxKind::kLiteral;
  SourceSpan at{};
  std::string text{};
  std::vector<SyntaxPtr> args{};
  /// The NOT of NOT IN, IS NOT …
  bool negated = false;
  bool quoted = false;
  /// Stands at several places.
  bool is_shared = false;
  /// kLike: the character of ESCAPE.
  char32_t escape = U'\\';
  /// kLiteral: an array of one value.
  std::shared_ptr<arrow::Array> value{};
  /// kCast
  std::shared_ptr<arrow::DataType> type{};
  uint32_t depth = 1;
};

}  // namespace lance::query
