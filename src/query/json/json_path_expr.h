#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "query/json/json_path.h"

namespace lance::query {

enum class JsonPathOp : uint8_t {
  kPath,     ///< steps, from the root or (in filters) from the item
  kLiteral,  ///< value
  kAnd,
  kOr,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kStartsWith,
  kExists,  ///< of args[0], a path
  kPlus,    ///< of one or two args
  kMinus,
  kMultiply,
  kDivide,
  kModulo,
};

/// A node of a predicate or computation.
struct JsonPathExpr {
  JsonPathOp op = JsonPathOp::kPath;
  bool from_root = true;
  std::vector<JsonPathStep> steps{};
  JsonItem value{};
  std::string text{};  ///< what `value` points into
  std::vector<std::shared_ptr<const JsonPathExpr>> args{};
};

using JsonPathExprPtr = std::shared_ptr<const JsonPathExpr>;

/// What Parse makes of a text: steps, or an expression.
struct ParsedJsonPath {
  std::vector<JsonPathStep> steps;
  JsonPathExprPtr computed;
};
/// nullopt if the text is no path.
std::optional<ParsedJsonPath> ParseJsonPath(std::string_view text);

}  // namespace lance::query
