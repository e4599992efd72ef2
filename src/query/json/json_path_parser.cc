#include <array>
#include <charconv>
#include <limits>

#include "query/json/json_path_expr.h"

namespace lance::query {
namespace {

constexpr int kMaxNesting = 64;
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kNotRaw = " ,.:{}[]()?@$|<>!=+-*/%\"'";

struct NamedOp {
  std::string_view text;
  JsonPathOp op;
};
// Longer ones first.
constexpr std::array<NamedOp, 13> kOps = {{
    {"starts with", JsonPathOp::kStartsWith},
    {"==", JsonPathOp::kEqual},
    {"!=", JsonPathOp::kNotEqual},
    {"<>", JsonPathOp::kNotEqual},
    {"<=", JsonPathOp::kLessEqual},
    {">=", JsonPathOp::kGreaterEqual},
    {"<", JsonPathOp::kLess},
    {">", JsonPathOp::kGreater},
    {"+", JsonPathOp::kPlus},
    {"-", JsonPathOp::kMinus},
    {"*", JsonPathOp::kMultiply},
    {"/", JsonPathOp::kDivide},
    {"%", JsonPathOp::kModulo},
}};

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xC0 | code >> 6));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xE0 | code >> 12));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

/// Each function takes what it reads off the text, or leaves the text and returns nothing.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<ParsedJsonPath> Run() {
    SkipBlanks();
    size_t start = at_;
    if (auto expr = Or(/*in_filter=*/false); expr != nullptr && AtEnd()) {
      return ParsedJsonPath{{}, std::move(expr)};
    }
    at_ = start;
    nesting_ = 0;
    ParsedJsonPath parsed;
    if (!Take('$')) {
      if (auto name = Raw()) {
        parsed.steps.push_back({JsonPathStep::Kind::kMember, *std::move(name)});
        SkipBlanks();
      }
    }
    if (!Steps(/*with_filters=*/true, &parsed.steps) || !AtEnd()) return std::nullopt;
    return parsed;
  }

 private:
  bool AtEnd() {
    SkipBlanks();
    return at_ == text_.size();
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void SkipBlanks() {
    while (at_ < text_.size() && kBlanks.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool Take(std::string_view wanted) {
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  bool Take(char wanted) { return Take(std::string_view(&wanted, 1)); }
  bool TakeWord(std::string_view lower) {
    for (size_t i = 0; i < lower.size(); ++i) {
      char c = at_ + i < text_.size() ? text_[at_ + i] : '\0';
      if ((c | 0x20) != lower[i]) return false;
    }
    at_ += lower.size();
    return true;
  }

  /// One escape after its backslash.
  bool Escape(std::string* out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    if (at_ == text_.size()) return false;
    char letter = text_[at_++];
    if (letter == 'u') {
      uint32_t code = 0;
      const char* begin = text_.data() + at_;
      constexpr size_t kDigits = 4;
      if (text_.size() - at_ < kDigits) return false;
      auto [end, error] = std::from_chars(begin, begin + kDigits, code, 16);
      if (error != std::errc() || end != begin + kDigits) return false;
      at_ += kDigits;
      AppendUtf8(code, out);
      return true;
    }
    size_t index = kLetters.find(letter);
    if (index == std::string_view::npos) return false;
    out->push_back(kValues[index]);
    return true;
  }

  std::optional<std::string> Raw() {
    std::string name;
    while (at_ < text_.size() && kNotRaw.find(text_[at_]) == std::string_view::npos) {
      char c = text_[at_++];
      if (c == '\\' ? !Escape(&name) : (name.push_back(c), false)) return std::nullopt;
    }
    return name.empty() ? std::nullopt : std::optional(std::move(name));
  }

  /// `"…"`, not empty.
  std::optional<std::string> String() {
    if (!Take('"')) return std::nullopt;
    std::string name;
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c == '\\' ? !Escape(&name) : (name.push_back(c), false)) return std::nullopt;
    }
    if (!Take('"') || name.empty()) return std::nullopt;
    return name;
  }

  template <typename T>
  std::optional<T> Number() {
    T value = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  // ---- steps ----

  bool Steps(bool with_filters, std::vector<JsonPathStep>* out) {
    while (true) {
      size_t start = at_;
      SkipBlanks();
      auto step = Step(with_filters);
      if (!step) {
        // What is no step may be something else.
        at_ = start;
        return true;
      }
      out->push_back(*std::move(step));
    }
  }

  std::optional<JsonPathStep> Step(bool with_filters) {
    using Kind = JsonPathStep::Kind;
    if (Take(".**")) return Recursive();
    if (Take(".*")) return JsonPathStep{Kind::kAnyMember};
    if (Take('.') || Take(':')) {
      auto name = Peek() == '"' ? String() : Raw();
      if (!name) return std::nullopt;
      return JsonPathStep{Kind::kMember, *std::move(name)};
    }
    if (Take('[')) return Brackets();
    if (with_filters && Take('?')) {
      SkipBlanks();
      if (!Take('(')) return std::nullopt;
      JsonPathStep step{Kind::kFilter};
      step.filter = Or(/*in_filter=*/true);
      SkipBlanks();
      if (step.filter == nullptr || !Take(')')) return std::nullopt;
      return step;
    }
    return std::nullopt;
  }

  std::optional<JsonPathStep> Recursive() {
    JsonPathStep step{JsonPathStep::Kind::kRecursive};
    if (!Take('{')) return step;
    SkipBlanks();
    auto least = Number<uint8_t>();
    if (!least) return std::nullopt;
    step.least_level = step.most_level = *least;
    SkipBlanks();
    if (TakeWord("to")) {
      SkipBlanks();
      if (TakeWord("last")) {
        step.most_level = std::numeric_limits<uint8_t>::max();
      } else if (auto most = Number<uint8_t>()) {
        step.most_level = *most;
      } else {
        return std::nullopt;
      }
      SkipBlanks();
    }
    return Take('}') ? std::optional(step) : std::nullopt;
  }

  std::optional<JsonPathStep> Brackets() {
    using Kind = JsonPathStep::Kind;
    SkipBlanks();
    JsonPathStep step{Kind::kIndexes};
    if (Take('*')) {
      step.kind = Kind::kAnyItem;
    } else if (Peek() == '"') {
      auto name = String();
      if (!name) return std::nullopt;
      step = {Kind::kMember, *std::move(name)};
    } else {
      do {
        auto range = Range();
        if (!range) return std::nullopt;
        step.ranges.push_back(*range);
        SkipBlanks();
      } while (Take(','));
    }
    SkipBlanks();
    return Take(']') ? std::optional(std::move(step)) : std::nullopt;
  }

  std::optional<JsonPathStep::Range> Range() {
    auto from = Index();
    if (!from) return std::nullopt;
    JsonPathStep::Range range{*from, std::nullopt};
    SkipBlanks();
    if (!TakeWord("to")) return range;
    range.to = Index();
    return range.to ? std::optional(range) : std::nullopt;
  }

  std::optional<JsonPathStep::Index> Index() {
    SkipBlanks();
    if (!TakeWord("last")) {
      auto offset = Number<int32_t>();
      if (!offset) return std::nullopt;
      return JsonPathStep::Index{false, *offset};
    }
    SkipBlanks();
    int64_t sign = Peek() == '-' ? -1 : 1;
    if (!Take('-') && !Take('+')) return JsonPathStep::Index{true, 0};
    SkipBlanks();
    auto offset = Number<int32_t>();
    if (!offset) return std::nullopt;
    return JsonPathStep::Index{true, sign * *offset};
  }

  // ---- expressions ----

  static JsonPathExprPtr Make(JsonPathOp op, std::vector<JsonPathExprPtr> args) {
    JsonPathExpr expr{op};
    expr.args = std::move(args);
    return std::make_shared<const JsonPathExpr>(std::move(expr));
  }

  JsonPathExprPtr Or(bool in_filter) {
    if (++nesting_ > kMaxNesting) return nullptr;
    JsonPathExprPtr left = And(in_filter);
    SkipBlanks();
    while (left != nullptr && Take("||")) {
      JsonPathExprPtr right = And(in_filter);
      left = right == nullptr ? nullptr : Make(JsonPathOp::kOr, {left, right});
      SkipBlanks();
    }
    --nesting_;
    return left;
  }

  JsonPathExprPtr And(bool in_filter) {
    JsonPathExprPtr left = Atom(in_filter);
    SkipBlanks();
    while (left != nullptr && Take("&&")) {
      JsonPathExprPtr right = Atom(in_filter);
      left = right == nullptr ? nullptr : Make(JsonPathOp::kAnd, {left, right});
      SkipBlanks();
    }
    return left;
  }

  JsonPathExprPtr Atom(bool in_filter) {
    SkipBlanks();
    if (Take('(')) {
      JsonPathExprPtr inner = Or(in_filter);
      SkipBlanks();
      return inner != nullptr && Take(')') ? inner : nullptr;
    }
    if (Take("exists")) return Exists(in_filter);
    if (JsonPathExprPtr binary = Binary(in_filter)) return binary;
    SkipBlanks();
    bool is_minus = Peek() == '-';
    if (!Take('-') && !Take('+')) return nullptr;
    JsonPathExprPtr operand = Operand(in_filter);
    if (operand == nullptr) return nullptr;
    return Make(is_minus ? JsonPathOp::kMinus : JsonPathOp::kPlus, {operand});
  }

  JsonPathExprPtr Exists(bool in_filter) {
    SkipBlanks();
    if (!Take('(')) return nullptr;
    SkipBlanks();
    JsonPathExpr path;
    if (!PathStart(in_filter, &path) || !Steps(/*with_filters=*/true, &path.steps)) return nullptr;
    SkipBlanks();
    if (!Take(')')) return nullptr;
    return Make(JsonPathOp::kExists, {std::make_shared<const JsonPathExpr>(std::move(path))});
  }

  bool PathStart(bool in_filter, JsonPathExpr* path) {
    path->op = JsonPathOp::kPath;
    path->from_root = true;
    if (Take('$')) return true;
    path->from_root = false;
    return in_filter && Take('@');
  }

  /// Leaves the text where it was if there is no operand, operator and operand.
  JsonPathExprPtr Binary(bool in_filter) {
    size_t start = at_;
    JsonPathExprPtr left = Operand(in_filter);
    SkipBlanks();
    if (left != nullptr) {
      for (const NamedOp& named : kOps) {
        if (!Take(named.text)) continue;
        JsonPathExprPtr right = Operand(in_filter);
        if (right == nullptr) break;
        return Make(named.op, {left, right});
      }
    }
    at_ = start;
    return nullptr;
  }

  JsonPathExprPtr Operand(bool in_filter) {
    SkipBlanks();
    auto expr = std::make_shared<JsonPathExpr>();
    if (PathStart(in_filter, expr.get())) {
      return Steps(/*with_filters=*/false, &expr->steps) ? expr : nullptr;
    }
    expr->op = JsonPathOp::kLiteral;
    if (Take("null")) {
      expr->value = {JsonType::kNull, {}};
    } else if (Take("true")) {
      expr->value = {JsonType::kTrue, {}};
    } else if (Take("false")) {
      expr->value = {JsonType::kFalse, {}};
    } else if (Peek() == '"') {
      auto text = String();
      if (!text) return nullptr;
      expr->text = *std::move(text);
      expr->value = {JsonType::kString, expr->text};
    } else {
      std::optional<JsonNumber> number;
      if (auto value = Number<uint64_t>()) {
        number = *value;
      } else if (auto negative = Number<int64_t>()) {
        number = *negative;
      } else {
        return nullptr;
      }
      expr->text = EncodeNumber(*number);
      expr->value = {JsonType::kNumber, expr->text};
    }
    return expr;
  }

  std::string_view text_;
  size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

std::optional<ParsedJsonPath> ParseJsonPath(std::string_view text) { return Parser(text).Run(); }

}  // namespace lance::query
