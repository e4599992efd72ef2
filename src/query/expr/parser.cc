#include "query/expr/parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "arrow/array.h"
#include "arrow/scalar.h"
#include "base/stack.h"
#include "query/expr/lexer.h"
#include "query/expr/literal.h"
#include "query/expr/type_names.h"
#include "query/json/json_encoder.h"

namespace lance::query {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

// How strongly operators bind.
enum Precedence : uint8_t {
  kLowest = 0,
  kOrLevel,
  kAndLevel,
  kNotLevel,
  kIsLevel,
  kCompareLevel,
  kShiftLevel,
  kAddLevel,
  kMultiplyLevel,
  kCastLevel,
};

struct InfixOperator {
  std::string_view symbol;
  Precedence precedence;
  std::string_view name;
};
constexpr std::array<InfixOperator, 15> kInfixOperators = {{
    {"=", kCompareLevel, "="},
    {"==", kCompareLevel, "="},
    {"<>", kCompareLevel, "<>"},
    {"!=", kCompareLevel, "<>"},
    {"<", kCompareLevel, "<"},
    {"<=", kCompareLevel, "<="},
    {">", kCompareLevel, ">"},
    {">=", kCompareLevel, ">="},
    {"<<", kShiftLevel, "<<"},
    {">>", kShiftLevel, ">>"},
    {"+", kAddLevel, "+"},
    {"-", kAddLevel, "-"},
    {"*", kMultiplyLevel, "*"},
    {"/", kMultiplyLevel, "/"},
    {"%", kMultiplyLevel, "%"},
}};

// Words that start something else than a column: they are columns only in back-ticks.
constexpr std::array<std::string_view, 6> kReservedWords = {"and", "or", "not",
                                                            "is",  "in", "between"};

constexpr std::array<std::string_view, 3> kCallsWithoutBrackets = {"current_date", "current_time",
                                                                   "current_timestamp"};

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

template <size_t kCount>
bool IsOneOf(const Token& token, const std::array<std::string_view, kCount>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return token.IsKeyword(word); });
}

class Parser {
 public:
  Parser(const Source& source, std::vector<Token> tokens)
      : source_(source), tokens_(std::move(tokens)) {}

  Result<SyntaxPtr> Run() {
    ARROW_ASSIGN_OR_RAISE(SyntaxPtr syntax, Expression(kLowest));
    if (Peek().kind != TokenKind::kEnd) {
      return Unexpected(Peek(), "an operator or the end of the expression");
    }
    return syntax;
  }

 private:
  // ---- tokens ----

  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  Token& Take() {
    Token& token = tokens_[next_];
    if (token.kind != TokenKind::kEnd) ++next_;
    return token;
  }
  bool TakeSymbol(std::string_view symbol) {
    if (!Peek().IsSymbol(symbol)) return false;
    ++next_;
    return true;
  }
  bool TakeKeyword(std::string_view word) {
    if (!Peek().IsKeyword(word)) return false;
    ++next_;
    return true;
  }
  Status ExpectSymbol(std::string_view symbol) {
    if (TakeSymbol(symbol)) return Status::OK();
    return Unexpected(Peek(), lance::internal::Concat("'", symbol, "'"));
  }
  Status ExpectKeyword(std::string_view word) {
    if (TakeKeyword(word)) return Status::OK();
    std::string upper(word);
    for (char& c : upper) c = static_cast<char>(c - 'a' + 'A');
    return Unexpected(Peek(), upper);
  }
  SourceSpan LastSpan() const { return next_ == 0 ? SourceSpan{} : tokens_[next_ - 1].at; }

  Status Unexpected(const Token& found, std::string_view expected) const {
    using lance::internal::Concat;
    if (found.kind == TokenKind::kEnd) {
      return source_.ErrorAt(found.at, Concat("expected ", expected));
    }
    constexpr size_t kShown = 30;
    return source_.ErrorAt(found.at, Concat("expected ", expected, ", found '",
                                            source_.TextAt(found.at).substr(0, kShown), "'"));
  }

  // ---- nodes ----

  Result<SyntaxPtr> Finish(Syntax node) {
    for (const SyntaxPtr& arg : node.args) node.depth = std::max(node.depth, arg->depth + 1);
    if (node.depth > kMaxDepth) return TooDeep(node.at);
    return std::make_shared<const Syntax>(std::move(node));
  }
  Status TooDeep(SourceSpan at) const {
    return source_.ErrorAt(
        at, lance::internal::Concat("the expression is nested more than ", kMaxDepth, " deep"));
  }
  static Result<SyntaxPtr> Literal(SourceSpan at, std::shared_ptr<arrow::Array> value) {
    return std::make_shared<const Syntax>(
        Syntax{.kind = SyntaxKind::kLiteral, .at = at, .value = std::move(value)});
  }

  // ---- operators ----

  Result<SyntaxPtr> Expression(Precedence least) {
    // Every recursion comes through here.
    if (++depth_ > kMaxDepth || StackIsShort()) return TooDeep(Peek().at);
    ARROW_ASSIGN_OR_RAISE(SyntaxPtr left, Prefix());
    while (true) {
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr longer, Infix(left, least));
      if (longer == nullptr) break;
      left = std::move(longer);
    }
    --depth_;
    return left;
  }

  Result<SyntaxPtr> Prefix() {
    SourceSpan begin = Peek().at;
    if (TakeKeyword("not")) {
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr operand, Expression(kNotLevel));
      return Finish({SyntaxKind::kNot, Join(begin, operand->at), "", {operand}});
    }
    if (TakeSymbol("-")) {
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr operand, Expression(kMultiplyLevel));
      return Finish({SyntaxKind::kNegative, Join(begin, operand->at), "", {operand}});
    }
    if (TakeSymbol("+")) return Expression(kMultiplyLevel);
    ARROW_ASSIGN_OR_RAISE(SyntaxPtr primary, Primary());
    return Postfix(std::move(primary));
  }

  /// The expression that goes on after `left`, or null if what follows binds no more strongly
  /// than `least`.
  Result<SyntaxPtr> Infix(const SyntaxPtr& left, Precedence least) {
    const Token& token = Peek();
    if (token.kind == TokenKind::kSymbol) return InfixSymbol(left, least);
    if (token.kind != TokenKind::kWord) return nullptr;
    if (least < kOrLevel && token.IsKeyword("or")) return Chain(left, SyntaxKind::kOr, kOrLevel);
    if (least < kAndLevel && token.IsKeyword("and")) {
      return Chain(left, SyntaxKind::kAnd, kAndLevel);
    }
    if (least < kIsLevel && TakeKeyword("is")) return Is(left);
    if (least >= kCompareLevel) return nullptr;
    size_t ahead = token.IsKeyword("not") ? 1 : 0;
    const Token& verb = Peek(ahead);
    bool is_predicate = verb.IsKeyword("in") || verb.IsKeyword("between") ||
                        verb.IsKeyword("like") || verb.IsKeyword("ilike");
    if (!is_predicate) return nullptr;
    next_ += ahead;
    return Predicate(left, ahead == 1);
  }

  Result<SyntaxPtr> InfixSymbol(const SyntaxPtr& left, Precedence least) {
    if (Peek().IsSymbol("||")) {
      return least < kMultiplyLevel ? Chain(left, SyntaxKind::kConcat, kMultiplyLevel)
                                    : Result<SyntaxPtr>(nullptr);
    }
    for (const InfixOperator& infix : kInfixOperators) {
      if (!Peek().IsSymbol(infix.symbol)) continue;
      if (infix.precedence <= least) return nullptr;
      Take();
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr right, Expression(infix.precedence));
      return Finish({SyntaxKind::kOperator,
                     Join(left->at, right->at),
                     std::string(infix.name),
                     {left, right}});
    }
    return nullptr;
  }

  /// A list of operands joined by the same operator, however long, as one node.
  Result<SyntaxPtr> Chain(const SyntaxPtr& first, SyntaxKind kind, Precedence precedence) {
    Syntax chain{kind, first->at, "", {first}};
    auto is_joined = [&] {
      if (kind == SyntaxKind::kConcat) return TakeSymbol("||");
      return TakeKeyword(kind == SyntaxKind::kAnd ? "and" : "or");
    };
    while (is_joined()) {
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr next, Expression(precedence));
      chain.args.push_back(std::move(next));
    }
    chain.at = Join(first->at, chain.args.back()->at);
    return Finish(std::move(chain));
  }

  Result<SyntaxPtr> Is(const SyntaxPtr& operand) {
    bool negated = TakeKeyword("not");
    if (TakeKeyword("distinct")) {
      ARROW_RETURN_NOT_OK(ExpectKeyword("from"));
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr other, Expression(kCompareLevel));
      return Finish(
          {SyntaxKind::kDistinct, Join(operand->at, other->at), "", {operand, other}, negated});
    }
    for (const char* state : {"null", "true", "false", "unknown"}) {
      if (!TakeKeyword(state)) continue;
      return Finish({SyntaxKind::kIs, Join(operand->at, LastSpan()), state, {operand}, negated});
    }
    return Unexpected(Peek(), "NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM");
  }

  Result<SyntaxPtr> Predicate(const SyntaxPtr& operand, bool negated) {
    if (TakeKeyword("in")) return In(operand, negated);
    if (TakeKeyword("between")) {
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr low, Expression(kCompareLevel));
      ARROW_RETURN_NOT_OK(ExpectKeyword("and"));
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr high, Expression(kCompareLevel));
      return Finish(
          {SyntaxKind::kBetween, Join(operand->at, high->at), "", {operand, low, high}, negated});
    }
    std::string verb = LowerCase(Take().text);
    ARROW_ASSIGN_OR_RAISE(SyntaxPtr pattern, Expression(kCompareLevel));
    Syntax like{
        SyntaxKind::kLike, Join(operand->at, pattern->at), verb, {operand, pattern}, negated};
    if (TakeKeyword("escape")) {
      ARROW_ASSIGN_OR_RAISE(like.escape, EscapeCharacter());
    }
    return Finish(std::move(like));
  }

  Result<char32_t> EscapeCharacter() {
    const Token& token = Take();
    constexpr size_t kAsciiEnd = 0x80;
    if (token.kind != TokenKind::kString || token.text.size() != 1 ||
        static_cast<unsigned char>(token.text[0]) >= kAsciiEnd) {
      return source_.ErrorAt(token.at, "expected a string of one ASCII character after ESCAPE");
    }
    return static_cast<char32_t>(token.text[0]);
  }

  Result<SyntaxPtr> In(const SyntaxPtr& operand, bool negated) {
    ARROW_RETURN_NOT_OK(ExpectSymbol("("));
    Syntax in{SyntaxKind::kIn, operand->at, "", {operand}, negated};
    ARROW_RETURN_NOT_OK(ExpressionList(")", &in.args));
    if (in.args.size() == 1) return Unexpected(tokens_[next_ - 1], "a value in the list of IN");
    in.at = Join(operand->at, LastSpan());
    return Finish(std::move(in));
  }

  /// Expressions up to the closing bracket, which is taken.
  Status ExpressionList(std::string_view close, std::vector<SyntaxPtr>* out) {
    if (TakeSymbol(close)) return Status::OK();
    do {
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr item, Expression(kLowest));
      out->push_back(std::move(item));
    } while (TakeSymbol(","));
    return ExpectSymbol(close);
  }

  Result<SyntaxPtr> Postfix(SyntaxPtr operand) {
    while (true) {
      if (TakeSymbol("::")) {
        ARROW_ASSIGN_OR_RAISE(TypePtr type, TypeName());
        ARROW_ASSIGN_OR_RAISE(operand, Cast("cast", operand, std::move(type), operand->at));
      } else if (TakeSymbol("[")) {
        ARROW_ASSIGN_OR_RAISE(operand, Subscript(operand));
      } else if (TakeSymbol(".")) {
        Token& name = Take();
        if (name.kind != TokenKind::kWord && name.kind != TokenKind::kQuotedName) {
          return Unexpected(name, "the name of a member");
        }
        ARROW_ASSIGN_OR_RAISE(operand, Finish({SyntaxKind::kMember,
                                               Join(operand->at, name.at),
                                               std::move(name.text),
                                               {operand}}));
      } else {
        return operand;
      }
    }
  }

  /// `[1]`, or `[from:to]` and `[from:to:step]`, which are array_slice.
  Result<SyntaxPtr> Subscript(const SyntaxPtr& operand) {
    ARROW_ASSIGN_OR_RAISE(SyntaxPtr from, SlicePart(1));
    if (TakeSymbol("]")) {
      return Finish({SyntaxKind::kItem, Join(operand->at, LastSpan()), "", {operand, from}});
    }
    if (!TakeSymbol(":")) return Unexpected(Peek(), "']' or ':'");
    ARROW_ASSIGN_OR_RAISE(SyntaxPtr to, SlicePart(-1));
    Syntax slice{SyntaxKind::kCall, operand->at, "array_slice", {operand, from, to}};
    if (TakeSymbol(":")) {
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr step, Expression(kLowest));
      slice.args.push_back(std::move(step));
    }
    ARROW_RETURN_NOT_OK(ExpectSymbol("]"));
    slice.at = Join(operand->at, LastSpan());
    return Finish(std::move(slice));
  }

  Result<SyntaxPtr> SlicePart(int64_t otherwise) {
    const bool is_missing = Peek().IsSymbol(":") || (otherwise < 0 && Peek().IsSymbol("]"));
    if (is_missing) return Literal(Peek().at, Int64Literal(otherwise));
    return Expression(kLowest);
  }

  // ---- operands ----

  Result<SyntaxPtr> Primary() {
    Token& token = Take();
    switch (token.kind) {
      case TokenKind::kInteger:
      case TokenKind::kDecimal: {
        ARROW_ASSIGN_OR_RAISE(auto value, NumberLiteral(token.text));
        return Literal(token.at, std::move(value));
      }
      case TokenKind::kString:
        return Strings(token);
      case TokenKind::kHexString: {
        auto value = HexLiteral(token.text);
        if (value == nullptr) {
          return source_.ErrorAt(token.at, "expected pairs of hexadecimal digits in X'…'");
        }
        return Literal(token.at, std::move(value));
      }
      case TokenKind::kQuotedName:
        return Finish({.kind = SyntaxKind::kName,
                       .at = token.at,
                       .text = std::move(token.text),
                       .quoted = true});
      case TokenKind::kWord:
        return Word(token);
      case TokenKind::kSymbol:
        if (token.text == "(") return Bracketed();
        if (token.text == "[") return Array(token.at);
        break;
      case TokenKind::kEnd:
        break;
    }
    return Unexpected(token, "a value, a column or a function");
  }

  /// Strings that follow each other are one.
  Result<SyntaxPtr> Strings(const Token& first) {
    std::string text = first.text;
    while (Peek().kind == TokenKind::kString) text += Take().text;
    return Literal(Join(first.at, LastSpan()), StringLiteral(text));
  }

  Result<SyntaxPtr> Bracketed() {
    ARROW_ASSIGN_OR_RAISE(SyntaxPtr inner, Expression(kLowest));
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
    return inner;
  }

  Result<SyntaxPtr> Array(SourceSpan begin) {
    Syntax array{.kind = SyntaxKind::kArray, .at = begin};
    ARROW_RETURN_NOT_OK(ExpressionList("]", &array.args));
    array.at = Join(begin, LastSpan());
    return Finish(std::move(array));
  }

  Result<SyntaxPtr> Word(Token& token) {
    if (token.IsKeyword("null")) return Literal(token.at, NullLiteral());
    if (token.IsKeyword("true")) return Literal(token.at, BooleanLiteral(true));
    if (token.IsKeyword("false")) return Literal(token.at, BooleanLiteral(false));
    if (token.IsKeyword("case") && !EndsOperand(Peek())) return Case(token.at);
    if (IsOneOf(token, kReservedWords)) {
      return Unexpected(token, "a value, a column or a function");
    }
    if (IsOneOf(token, kCallsWithoutBrackets) && !Peek().IsSymbol("(")) {
      return Finish({SyntaxKind::kCall, token.at, LowerCase(token.text)});
    }
    if (Peek().IsSymbol("(")) {
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr special, SpecialCall(token));
      return special != nullptr ? special : Call(token);
    }
    if (Peek().kind == TokenKind::kString) return TypedLiteral(token, {});
    if (token.IsKeyword("array") && TakeSymbol("[")) return Array(token.at);
    return Finish({SyntaxKind::kName, token.at, std::move(token.text)});
  }

  /// Whether an operand is over before this token: `case` is then the name of a column.
  static bool EndsOperand(const Token& token) {
    if (token.kind == TokenKind::kEnd) return true;
    if (token.kind == TokenKind::kSymbol) {
      return !token.IsSymbol("(") && !token.IsSymbol("[") && !token.IsSymbol("-") &&
             !token.IsSymbol("+");
    }
    constexpr std::array<std::string_view, 7> kOperators = {"and",     "or",   "is",   "in",
                                                            "between", "like", "ilike"};
    return IsOneOf(token, kOperators);
  }

  /// JSONB '{"a": 1}'
  Result<SyntaxPtr> JsonLiteral(const Token& name) {
    const SourceSpan text_at = Peek().at;
    std::string text = Take().text;
    while (Peek().kind == TokenKind::kString) text += Take().text;
    std::string cell;
    Status status = AppendJsonb(text, &cell);
    if (!status.ok()) return source_.ErrorAt(text_at, status.message());
    return Literal(Join(name.at, LastSpan()), LargeBinaryLiteral(std::move(cell)));
  }

  /// `DATE '2021-01-01'`
  Result<SyntaxPtr> TypedLiteral(const Token& name, const std::vector<int64_t>& parameters) {
    if (name.IsKeyword("jsonb") && parameters.empty()) return JsonLiteral(name);
    TypePtr type = SqlType(LowerCase(name.text), parameters, /*is_unsigned=*/false);
    if (type == nullptr) {
      return source_.ErrorAt(name.at, "a string follows a word that is not the name of a type");
    }
    ARROW_ASSIGN_OR_RAISE(SyntaxPtr text, Strings(Take()));
    return Cast("cast", std::move(text), std::move(type), name.at);
  }

  Result<SyntaxPtr> Cast(std::string verb, SyntaxPtr operand, TypePtr type, SourceSpan begin) {
    Syntax cast{SyntaxKind::kCast, Join(begin, LastSpan()), std::move(verb), {std::move(operand)}};
    cast.type = std::move(type);
    return Finish(std::move(cast));
  }

  /// Calls with a grammar of their own; null for others.
  Result<SyntaxPtr> SpecialCall(const Token& name) {
    if (name.IsKeyword("cast") || name.IsKeyword("try_cast")) return CastCall(name);
    if (name.IsKeyword("extract")) return Extract(name);
    // TIMESTAMP(3) '…', DECIMAL(10, 2) '…'
    size_t close = 1;
    while (Peek(close).kind == TokenKind::kInteger || Peek(close).IsSymbol(",")) ++close;
    constexpr size_t kMostTokens = 4;
    if (close == 1 || close > kMostTokens || !Peek(close).IsSymbol(")") ||
        Peek(close + 1).kind != TokenKind::kString) {
      return nullptr;
    }
    ARROW_ASSIGN_OR_RAISE(auto parameters, TypeParameters());
    return TypedLiteral(name, parameters);
  }

  Result<SyntaxPtr> CastCall(const Token& name) {
    ARROW_RETURN_NOT_OK(ExpectSymbol("("));
    ARROW_ASSIGN_OR_RAISE(SyntaxPtr operand, Expression(kLowest));
    ARROW_RETURN_NOT_OK(ExpectKeyword("as"));
    ARROW_ASSIGN_OR_RAISE(TypePtr type, TypeName());
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
    return Cast(LowerCase(name.text), std::move(operand), std::move(type), name.at);
  }

  /// EXTRACT(year FROM d) is date_part('year', d).
  Result<SyntaxPtr> Extract(const Token& name) {
    ARROW_RETURN_NOT_OK(ExpectSymbol("("));
    const Token& part = Take();
    if (part.kind != TokenKind::kWord && part.kind != TokenKind::kString) {
      return Unexpected(part, "a part of a date, such as year");
    }
    ARROW_ASSIGN_OR_RAISE(SyntaxPtr text, Literal(part.at, StringLiteral(LowerCase(part.text))));
    ARROW_RETURN_NOT_OK(ExpectKeyword("from"));
    ARROW_ASSIGN_OR_RAISE(SyntaxPtr operand, Expression(kLowest));
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
    return Finish({SyntaxKind::kCall, Join(name.at, LastSpan()), "date_part", {text, operand}});
  }

  Result<SyntaxPtr> Call(const Token& name) {
    Syntax call{SyntaxKind::kCall, name.at, LowerCase(name.text)};
    ARROW_RETURN_NOT_OK(ExpectSymbol("("));
    // Spans of time are texts; there is no type of them.
    const bool is_interval = call.text == "date_bin" && Peek().IsKeyword("interval") &&
                             Peek(1).kind == TokenKind::kString;
    if (is_interval) Take();
    ARROW_RETURN_NOT_OK(ExpressionList(")", &call.args));
    call.at = Join(name.at, LastSpan());
    return Finish(std::move(call));
  }

  /// CASE x WHEN 1 THEN … is CASE WHEN x = 1 THEN …
  Result<SyntaxPtr> Case(SourceSpan begin) {
    SyntaxPtr operand;
    if (!Peek().IsKeyword("when")) {
      ARROW_ASSIGN_OR_RAISE(operand, Expression(kLowest));
      Syntax shared = *operand;
      shared.is_shared = true;
      operand = std::make_shared<const Syntax>(std::move(shared));
    }
    Syntax node{.kind = SyntaxKind::kCase, .at = begin};
    ARROW_RETURN_NOT_OK(ExpectKeyword("when"));
    do {
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr condition, Expression(kLowest));
      if (operand != nullptr) {
        ARROW_ASSIGN_OR_RAISE(
            condition, Finish({SyntaxKind::kOperator, condition->at, "=", {operand, condition}}));
      }
      ARROW_RETURN_NOT_OK(ExpectKeyword("then"));
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr value, Expression(kLowest));
      node.args.push_back(std::move(condition));
      node.args.push_back(std::move(value));
    } while (TakeKeyword("when"));
    if (TakeKeyword("else")) {
      ARROW_ASSIGN_OR_RAISE(SyntaxPtr value, Expression(kLowest));
      node.args.push_back(std::move(value));
    }
    ARROW_RETURN_NOT_OK(ExpectKeyword("end"));
    node.at = Join(begin, LastSpan());
    return Finish(std::move(node));
  }

  // ---- types ----

  /// `(10, 2)`
  Result<std::vector<int64_t>> TypeParameters() {
    std::vector<int64_t> parameters;
    if (!TakeSymbol("(")) return parameters;
    do {
      const Token& token = Take();
      int64_t value = 0;
      auto [end, error] =
          std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
      if (token.kind != TokenKind::kInteger || error != std::errc()) {
        return Unexpected(token, "a number");
      }
      parameters.push_back(value);
    } while (TakeSymbol(","));
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
    return parameters;
  }

  Result<TypePtr> TypeName() {
    const Token& name = Take();
    if (name.kind != TokenKind::kWord) return Unexpected(name, "the name of a type");
    ARROW_ASSIGN_OR_RAISE(auto parameters, TypeParameters());
    bool is_unsigned = TakeKeyword("unsigned");
    if (name.IsKeyword("double")) TakeKeyword("precision");
    TypePtr type = SqlType(LowerCase(name.text), parameters, is_unsigned);
    if (type != nullptr) return type;
    return source_.ErrorAt(
        Join(name.at, LastSpan()),
        "not a type of this dialect; there are tinyint, smallint, int, bigint (each also "
        "unsigned), float, double, decimal(p, s), boolean, string, binary, date, time(p) and "
        "timestamp(p) with p one of 0, 3, 6, 9");
  }

  const Source& source_;
  std::vector<Token> tokens_;
  size_t next_ = 0;
  uint32_t depth_ = 0;
};

}  // namespace

bool IsReservedWord(std::string_view name) {
  const Token token{TokenKind::kWord, {}, std::string(name)};
  constexpr std::array<std::string_view, 5> kOthers = {"null", "true", "false", "case", "array"};
  return IsOneOf(token, kReservedWords) || IsOneOf(token, kCallsWithoutBrackets) ||
         IsOneOf(token, kOthers);
}

Result<SyntaxPtr> ParseSql(const Source& source) {
  ARROW_ASSIGN_OR_RAISE(auto tokens, Tokenize(source));
  return Parser(source, std::move(tokens)).Run();
}

}  // namespace lance::query
