#include "query/expr/kernel/regex_literal.h"

#include "query/expr/kernel/utf8.h"

namespace lance::query {
namespace {

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Reads a pattern from left to right; gives up (nothing is required) at whatever is not plain.
class LiteralFinder {
 public:
  explicit LiteralFinder(std::string_view pattern) : left_(pattern) {}

  std::vector<std::string> Find() {
    while (!left_.empty()) {
      if (!Step()) return {};
    }
    return EndAlternative() ? found_ : std::vector<std::string>();
  }

 private:
  bool Step() {
    const size_t bytes = CharacterBytes(left_);
    const std::string_view character = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    switch (character[0]) {
      case '|':
        return EndAlternative();
      case '\\':
        return Escape();
      case '[':
        EndRun();
        return SkipClass();
      case '(':
        EndRun();
        return SkipGroup();
      case '.':
      case '^':
      case '$':
        EndRun();
        return true;
      case '*':
      case '?':
      case '{':
        run_.resize(last_);  // what came before may be missing
        EndRun();
        return character[0] != '{' || SkipTo('}');
      case '+':
        EndRun();
        return true;
      default:
        Append(character);
        return true;
    }
  }

  void Append(std::string_view character) {
    last_ = run_.size();
    run_ += character;
  }

  void EndRun() {
    if (run_.size() > longest_.size()) longest_ = run_;
    run_.clear();
    last_ = 0;
  }

  bool EndAlternative() {
    EndRun();
    found_.push_back(std::move(longest_));
    longest_.clear();
    return !found_.back().empty();
  }

  bool Escape() {
    if (left_.empty()) return false;
    const char c = left_[0];
    if (IsAlphanumeric(c)) {
      constexpr std::string_view kClasses = "dDwWsSbB";
      if (kClasses.find(c) == std::string_view::npos) return false;
      EndRun();
      left_.remove_prefix(1);
      return true;
    }
    const size_t bytes = CharacterBytes(left_);
    Append(left_.substr(0, bytes));
    left_.remove_prefix(bytes);
    return true;
  }

  bool SkipTo(char end) {
    const size_t at = left_.find(end);
    if (at == std::string_view::npos) return false;
    left_.remove_prefix(at + 1);
    return true;
  }

  /// Simple classes only: no escapes, no brackets within.
  bool SkipClass() {
    const size_t end = left_.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view inside = left_.substr(0, end);
    if (inside.empty() || inside == "^" || inside.find_first_of("[\\") != std::string_view::npos) {
      return false;
    }
    left_.remove_prefix(end + 1);
    return true;
  }

  bool SkipGroup() {
    if (left_.starts_with('?')) return false;  // flags, perhaps
    for (size_t depth = 1; depth > 0;) {
      if (left_.empty()) return false;
      const char c = left_[0];
      left_.remove_prefix(1);
      if (c == '\\') return false;
      if (c == '[' && !SkipClass()) return false;
      if (c == '(') {
        if (left_.starts_with('?')) return false;
        ++depth;
      }
      if (c == ')') --depth;
    }
    return true;
  }

  std::string_view left_;
  std::string run_;
  size_t last_ = 0;  // where the last character of the run begins
  std::string longest_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> RequiredLiterals(std::string_view pattern) {
  return LiteralFinder(pattern).Find();
}

}  // namespace lance::query
