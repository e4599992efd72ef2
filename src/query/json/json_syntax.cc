#include "query/json/json_syntax.h"

#include <cstddef>
#include <vector>

#include "query/json/json_layout.h"

namespace lance::query {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

class SyntaxChecker {
 public:
  explicit SyntaxChecker(std::string_view text) : text_(text) {}

  Status Run() {
    ARROW_RETURN_NOT_OK(Value());
    while (!open_.empty()) {
      SkipSpace();
      const char c = Peek();
      if (c == open_.back()) {
        ++at_;
        open_.pop_back();
      } else if (c == ',') {
        ++at_;
        ARROW_RETURN_NOT_OK(open_.back() == '}' ? Member() : Value());
      } else {
        return Wrong(open_.back() == '}' ? "expected `,` or `}`" : "expected `,` or `]`");
      }
    }
    SkipSpace();
    return at_ == text_.size() ? Status::OK() : Wrong("trailing characters");
  }

 private:
  // No character of the grammar is 0.
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  Status Wrong(std::string_view what) const {
    return UserError("text is no JSON: ", at_ < text_.size() ? what : "the text ends too early",
                     ", pos ", at_);
  }

  void SkipSpace() {
    while (Peek() == ' ' || Peek() == '\t' || Peek() == '\n' || Peek() == '\r') ++at_;
  }

  /// Down to the first value that holds no others.
  Status Value() {
    while (true) {
      SkipSpace();
      const char c = Peek();
      if (c != '{' && c != '[') return Scalar(c);
      if (open_.size() == kMaxNesting) return Wrong("nested deeper than 1000 levels");
      open_.push_back(c == '{' ? '}' : ']');
      ++at_;
      SkipSpace();
      if (Peek() == open_.back()) {
        ++at_;
        open_.pop_back();
        return Status::OK();
      }
      if (c == '{') ARROW_RETURN_NOT_OK(Key());
    }
  }

  Status Member() {
    ARROW_RETURN_NOT_OK(Key());
    return Value();
  }

  Status Key() {
    SkipSpace();
    if (Peek() != '"') return Wrong("expected a key in double quotes");
    ARROW_RETURN_NOT_OK(String());
    SkipSpace();
    if (Peek() != ':') return Wrong("expected `:`");
    ++at_;
    return Status::OK();
  }

  Status Scalar(char c) {
    switch (c) {
      case '"':
        return String();
      case 't':
        return Literal("true");
      case 'f':
        return Literal("false");
      case 'n':
        return Literal("null");
      default:
        return c == '-' || IsDigit(c) ? Number() : Wrong("expected value");
    }
  }

  Status Literal(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return Wrong("expected ident");
    at_ += word.size();
    return Status::OK();
  }

  bool SkipDigits() {
    const size_t start = at_;
    while (IsDigit(Peek())) ++at_;
    return at_ > start;
  }

  Status Number() {
    if (Peek() == '-') ++at_;
    if (Peek() == '0') {
      ++at_;
    } else if (!SkipDigits()) {
      return Wrong("invalid number");
    }
    if (Peek() == '.') {
      ++at_;
      if (!SkipDigits()) return Wrong("invalid number");
    }
    if (Peek() == 'e' || Peek() == 'E') {
      ++at_;
      if (Peek() == '+' || Peek() == '-') ++at_;
      if (!SkipDigits()) return Wrong("invalid number");
    }
    return Status::OK();
  }

  Status String() {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) return Wrong("raw control character in a string");
      ++at_;
      if (c == '"') return Status::OK();
      if (c == '\\') ARROW_RETURN_NOT_OK(Escape());
    }
    return Wrong("");
  }

  Status Escape() {
    const char c = Peek();
    if (c != 'u') {
      if (c == '\0' || std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) {
        return Wrong("invalid escape");
      }
      ++at_;
      return Status::OK();
    }
    ++at_;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (!IsHexDigit(Peek())) return Wrong("invalid escape");
    }
    return Status::OK();
  }

  const std::string_view text_;
  size_t at_ = 0;
  /// What closes each array and object that is open.
  std::vector<char> open_;
};

}  // namespace

Status CheckJsonSyntax(std::string_view text) { return SyntaxChecker(text).Run(); }

}  // namespace lance::query
