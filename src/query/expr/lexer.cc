#include "query/expr/lexer.h"

#include <algorithm>
#include <array>

#include "arrow/util/utf8.h"

namespace lance::query {
namespace {

// Longer ones first.
constexpr std::array<std::string_view, 9> kLongSymbols = {"<=", ">=", "<>", "!=", ">>",
                                                          "==", "||", "::", "<<"};
constexpr std::string_view kShortSymbols = "=<>+-*/%(),.[]:";

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool StartsWord(char c) {
  return (Lower(c) >= 'a' && Lower(c) <= 'z') || c == '_' || c == '@' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool ContinuesWord(char c) { return StartsWord(c) || IsDigit(c) || c == '$'; }

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text()) {}

  Result<std::vector<Token>> Run() {
    std::vector<Token> tokens;
    while (true) {
      ARROW_RETURN_NOT_OK(SkipBlanks());
      ARROW_ASSIGN_OR_RAISE(Token token, Next());
      bool is_end = token.kind == TokenKind::kEnd;
      tokens.push_back(std::move(token));
      if (is_end) return tokens;
    }
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool AtEnd() const { return at_ >= text_.size(); }
  bool StartsWith(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }
  SourceSpan SpanFrom(size_t begin) const {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)};
  }
  Status ErrorFrom(size_t begin, std::string_view message) const {
    return source_.ErrorAt(SpanFrom(begin), message);
  }

  Status SkipBlanks() {
    while (!AtEnd()) {
      if (IsSpace(Peek())) {
        ++at_;
      } else if (StartsWith("--")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (StartsWith("/*")) {
        size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) {
          return ErrorFrom(at_, "a comment is not closed by '*/'");
        }
        at_ = end + 2;
      } else {
        break;
      }
    }
    return Status::OK();
  }

  Result<Token> Next() {
    size_t begin = at_;
    if (AtEnd()) return Token{TokenKind::kEnd, SpanFrom(begin), ""};
    char c = Peek();
    if (c == '\'' || c == '"') return Quoted(TokenKind::kString, c);
    if (c == '`') return Quoted(TokenKind::kQuotedName, c);
    if (Lower(c) == 'x' && Peek(1) == '\'') {
      ++at_;
      return Quoted(TokenKind::kHexString, '\'');
    }
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) return Number();
    if (StartsWord(c)) {
      while (!AtEnd() && ContinuesWord(Peek())) ++at_;
      return Make(TokenKind::kWord, begin);
    }
    return Symbol();
  }

  Token Make(TokenKind kind, size_t begin) const {
    return {kind, SpanFrom(begin), std::string(text_.substr(begin, at_ - begin))};
  }

  Result<Token> Quoted(TokenKind kind, char quote) {
    size_t begin = at_++;
    Token token{kind, {}, ""};
    while (true) {
      size_t end = text_.find(quote, at_);
      if (end == std::string_view::npos) {
        return ErrorFrom(begin, kind == TokenKind::kQuotedName
                                    ? "a name in back-ticks is not closed"
                                    : "a string literal is not closed");
      }
      token.text += text_.substr(at_, end - at_);
      at_ = end + 1;
      if (Peek() != quote) break;
      token.text += quote;
      ++at_;
    }
    token.at = SpanFrom(begin);
    return token;
  }

  /// `1OR a` is `1 OR a`.
  bool IsBeforeOperator() const {
    size_t end = at_;
    while (end < text_.size() && ContinuesWord(text_[end])) ++end;
    const Token word{TokenKind::kWord, {}, std::string(text_.substr(at_, end - at_))};
    for (std::string_view op : {"and", "or", "is", "in", "not", "between", "like", "ilike", "when",
                                "then", "else", "end", "as", "from", "escape"}) {
      if (word.IsKeyword(op)) return true;
    }
    return false;
  }

  Result<Token> Number() {
    size_t begin = at_;
    while (IsDigit(Peek())) ++at_;
    bool is_integer = true;
    if (Peek() == '.') {
      is_integer = false;
      ++at_;
      while (IsDigit(Peek())) ++at_;
    }
    if (Lower(Peek()) == 'e') {
      size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
      if (IsDigit(Peek(1 + sign))) {
        is_integer = false;
        at_ += 1 + sign;
        while (IsDigit(Peek())) ++at_;
      }
    }
    if (!AtEnd() && ContinuesWord(Peek()) && !IsBeforeOperator()) {
      return ErrorFrom(begin, "letters follow a number");
    }
    return Make(is_integer ? TokenKind::kInteger : TokenKind::kDecimal, begin);
  }

  Result<Token> Symbol() {
    size_t begin = at_;
    for (std::string_view symbol : kLongSymbols) {
      if (StartsWith(symbol)) {
        at_ += symbol.size();
        return Make(TokenKind::kSymbol, begin);
      }
    }
    if (kShortSymbols.find(Peek()) == std::string_view::npos) {
      return ErrorFrom(begin, "a character that is not part of the filter language");
    }
    ++at_;
    return Make(TokenKind::kSymbol, begin);
  }

  const Source& source_;
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

bool Token::IsKeyword(std::string_view lower_case) const {
  return kind == TokenKind::kWord &&
         std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return Lower(a) == b; });
}

Result<std::vector<Token>> Tokenize(const Source& source) {
  if (source.text().size() > Source::kMaxBytes) {
    return UserError("the expression has ", source.text().size(), " bytes, more than ",
                     Source::kMaxBytes);
  }
  // Its literals become strings.
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(source.text())) {
    return UserError("the expression is not valid UTF-8");
  }
  return Lexer(source).Run();
}

}  // namespace lance::query
