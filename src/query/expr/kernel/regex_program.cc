#include "query/expr/kernel/regex_program.h"

#include <algorithm>
#include <charconv>

#include "query/expr/kernel/utf8.h"

namespace lance::query {
namespace {

using Kind = RegexStep::Kind;
using Steps = std::vector<RegexStep>;

constexpr char32_t kAsciiEnd = 0x80;
constexpr char32_t kLastCodePoint = 0x10FFFF;
constexpr size_t kMostSteps = 100;
constexpr size_t kMostNesting = 20;
constexpr size_t kMostRepeats = 1000;  // of RE2
constexpr size_t kUnbounded = std::string::npos;

/// The first byte of a character beyond ASCII.
size_t LeadByte(char32_t code_point) {
  if (code_point < 0x800) return 0xC0 | (code_point >> 6);
  if (code_point < 0x10000) return 0xE0 | (code_point >> 12);
  return 0xF0 | (code_point >> 18);
}

}  // namespace

size_t ReadCharacter(std::string_view text, char32_t* code_point) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < kAsciiEnd) {
    *code_point = first;
    return 1;
  }
  const size_t bytes = first < 0xC2   ? 0
                       : first < 0xE0 ? 2
                       : first < 0xF0 ? 3
                       : first < 0xF5 ? 4
                                      : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  char32_t value = first & (0x7FU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) return 0;
    value = (value << 6U) | (next & 0x3FU);
  }
  *code_point = value;
  return bytes;
}

void CharacterSet::Add(char32_t first, char32_t last) {
  for (char32_t c = first; c <= last && c < kAsciiEnd; ++c) by_byte_[c] = Answer::kYes;
  if (last < kAsciiEnd) return;
  first = std::max(first, kAsciiEnd);
  ranges_.emplace_back(first, last);
  std::fill(by_byte_.begin() + static_cast<ptrdiff_t>(LeadByte(first)),
            by_byte_.begin() + static_cast<ptrdiff_t>(LeadByte(last)) + 1, Answer::kAskCodePoint);
}

void CharacterSet::FoldAscii() {
  for (size_t letter = 0; letter < 26; ++letter) {
    Answer& small = by_byte_['a' + letter];
    Answer& large = by_byte_['A' + letter];
    if (large == Answer::kYes) small = Answer::kYes;
    large = small;
  }
}

void CharacterSet::Negate() {
  for (size_t c = 0; c < kAsciiEnd; ++c) {
    by_byte_[c] = by_byte_[c] == Answer::kYes ? Answer::kNo : Answer::kYes;
  }
  is_negated_ = !is_negated_;
  std::fill(by_byte_.begin() + static_cast<ptrdiff_t>(LeadByte(kAsciiEnd)),
            by_byte_.begin() + static_cast<ptrdiff_t>(LeadByte(kLastCodePoint)) + 1,
            Answer::kAskCodePoint);
}

bool CharacterSet::HasCodePoint(char32_t code_point) const {
  const bool is_listed = std::any_of(ranges_.begin(), ranges_.end(), [&](const auto& range) {
    return code_point >= range.first && code_point <= range.second;
  });
  return is_listed != is_negated_;
}

/// Reads a pattern from left to right. Whatever is not simple ends it: `is_simple_`.
class RegexCompiler {
 public:
  RegexCompiler(std::string_view pattern, bool keeps_groups) : left_(pattern) {
    program_.keeps_groups_ = keeps_groups;
  }

  std::optional<RegexProgram> Run() {
    while (Take("(?i)")) ignores_case_ = true;
    Steps steps = Choice(0);
    if (!is_simple_ || !left_.empty() || groups_ > RegexProgram::kMostGroups) return std::nullopt;
    if (steps.size() > kMostSteps) return std::nullopt;
    steps.push_back({.kind = Kind::kFound});
    program_.steps_ = std::move(steps);
    auto first = std::find_if(program_.steps_.begin(), program_.steps_.end(),
                              [](const RegexStep& step) { return step.kind != Kind::kMark; });
    program_.is_anchored_ = first->kind == Kind::kTextBegin;
    const bool is_once = first->kind == Kind::kRepeat && first->least == 1 && first->most == 1;
    program_.is_one_byte_ =
        is_once && program_.steps_.size() == 2 && program_.sets_[first->set].is_ascii();
    std::vector<bool> seen(program_.steps_.size());
    program_.FindBegins(0, &seen);
    return std::move(program_);
  }

 private:
  Steps GiveUp() {
    is_simple_ = false;
    left_ = {};
    return {};
  }

  bool Take(std::string_view prefix) {
    if (!left_.starts_with(prefix)) return false;
    left_.remove_prefix(prefix.size());
    return true;
  }

  static void Append(Steps more, Steps* steps) {
    std::move(more.begin(), more.end(), std::back_inserter(*steps));
  }

  /// `either`, or else `other`.
  Steps Either(Steps either, Steps other) {
    program_.has_choices_ = true;
    Steps steps;
    steps.push_back({.kind = Kind::kSplit, .first = 1, .second = either.size() + 2});
    Append(std::move(either), &steps);
    steps.push_back({.kind = Kind::kJump, .first = other.size() + 1});
    Append(std::move(other), &steps);
    return steps;
  }

  Steps Choice(size_t depth) {
    if (depth > kMostNesting) return GiveUp();
    Steps steps = Sequence(depth);
    if (!Take("|")) return steps;
    return Either(std::move(steps), Choice(depth + 1));
  }

  Steps Sequence(size_t depth) {
    Steps steps;
    bool is_text = false;  // the last step is one, and of this sequence
    while (!left_.empty() && left_[0] != '|' && left_[0] != ')') {
      Steps more = left_[0] == '(' ? Group(depth) : Atom();
      if (!is_simple_) return {};
      const bool is_also_text = more.size() == 1 && more[0].kind == Kind::kText;
      if (is_text && is_also_text) {
        steps.back().text += more[0].text;
      } else {
        Append(std::move(more), &steps);
      }
      is_text = is_also_text;
    }
    return steps;
  }

  Steps Group(size_t depth) {
    left_.remove_prefix(1);
    Steps steps;
    size_t number = 0;
    if (Take("?P<")) {
      const size_t end = left_.find('>');
      if (end == std::string_view::npos) return GiveUp();
      left_.remove_prefix(end + 1);
      number = ++groups_;
    } else if (!Take("?:")) {
      return GiveUp();
    }
    const bool has_marks = number > 0 && program_.keeps_groups_;
    if (has_marks) steps.push_back({.kind = Kind::kMark, .mark = 2 * number});
    Append(Choice(depth + 1), &steps);
    if (!Take(")")) return GiveUp();
    if (has_marks) steps.push_back({.kind = Kind::kMark, .mark = 2 * number + 1});
    if (Take("?")) {
      steps = Take("?") ? Either({}, std::move(steps)) : Either(std::move(steps), {});
    }
    if (IsAtQuantifier()) return GiveUp();
    return steps;
  }

  bool IsAtQuantifier() const {
    return !left_.empty() && std::string_view("*+?{").find(left_[0]) != std::string_view::npos;
  }

  Steps Atom() {
    if (auto kind = Assertion()) {
      if (IsAtQuantifier()) return GiveUp();
      return {{.kind = *kind}};
    }
    CharacterSet set;
    std::string_view literal;
    if (Take("[")) {
      if (!Brackets(&set)) return GiveUp();
    } else if (Take(".")) {
      set.Add('\n', '\n');
      set.Negate();
    } else {
      const std::string_view before = left_;
      if (!SetItem(&set, /*is_alone=*/true)) return GiveUp();
      if (before[0] != '\\') literal = before.substr(0, before.size() - left_.size());
    }
    RegexStep step{.kind = Kind::kRepeat};
    if (!Quantifier(&step)) return GiveUp();
    const bool is_once = step.least == 1 && step.most == 1;
    if (is_once && !literal.empty() && !ignores_case_) {
      return {{.kind = Kind::kText, .text = std::string(literal)}};
    }
    step.set = program_.sets_.size();
    program_.sets_.push_back(std::move(set));
    return {std::move(step)};
  }

  std::optional<Kind> Assertion() {
    if (Take("^") || Take("\\A")) return Kind::kTextBegin;
    if (Take("$") || Take("\\z")) return Kind::kTextEnd;
    if (Take("\\b")) return Kind::kWordEdge;
    return std::nullopt;
  }

  /// False if RE2 has to say what it means.
  bool Quantifier(RegexStep* step) {
    if (Take("*")) {
      step->least = 0;
      step->most = kUnbounded;
    } else if (Take("+")) {
      step->most = kUnbounded;
    } else if (Take("?")) {
      step->least = 0;
    } else if (Take("{")) {
      if (!Number(&step->least)) return false;
      step->most = step->least;
      if (Take(",")) {
        step->most = kUnbounded;
        if (!left_.starts_with('}') && !Number(&step->most)) return false;
      }
      const bool is_right = step->least <= kMostRepeats && step->least <= step->most &&
                            (step->most <= kMostRepeats || step->most == kUnbounded);
      if (!Take("}") || !is_right) return false;
    } else {
      return true;
    }
    step->is_lazy = Take("?");
    return !IsAtQuantifier();
  }

  bool Number(size_t* number) {
    auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), *number);
    if (error != std::errc()) return false;
    left_.remove_prefix(static_cast<size_t>(end - left_.data()));
    return true;
  }

  bool Brackets(CharacterSet* set) {
    const bool is_negated = Take("^");
    bool is_first = true;
    while (!Take("]")) {
      if (left_.empty() || left_[0] == '[') return false;
      // A `-` stands for itself at the ends only.
      if (left_[0] == '-' && !is_first && !left_.starts_with("-]")) return false;
      if (!SetItem(set, /*is_alone=*/false)) return false;
      is_first = false;
    }
    if (is_first) return false;
    if (ignores_case_) set->FoldAscii();
    if (is_negated) set->Negate();
    return true;
  }

  /// A character, a range of them, or a property.
  bool SetItem(CharacterSet* set, bool is_alone) {
    if (left_.starts_with("\\p") || left_.starts_with("\\P")) return Property(set);
    char32_t first = 0;
    if (!Character(&first)) return false;
    char32_t last = first;
    const bool is_range = !is_alone && left_.size() > 1 && left_[0] == '-' && left_[1] != ']';
    if (is_range) {
      left_.remove_prefix(1);
      if (left_[0] == '[' || !Character(&last) || last < first) return false;
    }
    if (ignores_case_) {
      // Letters such as K (of Kelvin) are others in ASCII.
      if (last >= kAsciiEnd) return false;
      program_.is_for_ascii_ = true;
    }
    set->Add(first, last);
    if (is_alone && ignores_case_) set->FoldAscii();
    return true;
  }

  bool Character(char32_t* character) {
    if (left_.empty()) return false;
    if (Take("\\x{")) {
      uint32_t value = 0;
      auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value, 16);
      if (error != std::errc() || value > kLastCodePoint) return false;
      left_.remove_prefix(static_cast<size_t>(end - left_.data()));
      *character = value;
      return Take("}");
    }
    if (Take("\\")) {
      if (left_.empty()) return false;
      const char c = left_[0];
      constexpr std::string_view kLetters = "aftnrv";
      constexpr std::string_view kMeanings = "\a\f\t\n\r\v";
      const size_t letter = kLetters.find(c);
      const bool is_mark = (c >= '!' && c <= '/') || (c >= ':' && c <= '@') ||
                           (c >= '[' && c <= '`' && c != '_') || (c >= '{' && c <= '~');
      if (letter == std::string_view::npos && !is_mark) return false;
      left_.remove_prefix(1);
      *character = static_cast<unsigned char>(is_mark ? c : kMeanings[letter]);
      return true;
    }
    const size_t bytes = ReadCharacter(left_, character);
    left_.remove_prefix(bytes);
    return bytes > 0;
  }

  /// Their ASCII part.
  bool Property(CharacterSet* set) {
    program_.is_for_ascii_ = true;
    if (Take("\\p{L}")) {
      set->Add('A', 'Z');
      set->Add('a', 'z');
    } else if (Take("\\p{Nd}")) {
      set->Add('0', '9');
    } else if (Take("\\P{Nd}")) {
      set->Add(0, '0' - 1);
      set->Add('9' + 1, kAsciiEnd - 1);
    } else if (Take("\\p{Pc}")) {
      set->Add('_', '_');
    } else if (Take("\\p{Z}")) {
      set->Add(' ', ' ');
    } else {
      return Take("\\p{M}") || Take("\\p{Nl}");  // there are none
    }
    return true;
  }

  std::string_view left_;
  RegexProgram program_;
  size_t groups_ = 0;
  bool ignores_case_ = false;
  bool is_simple_ = true;
};

/// Which bytes what is found by the steps from `at` on can begin with.
void RegexProgram::FindBegins(size_t at, std::vector<bool>* seen) {
  for (;; ++at) {
    if ((*seen)[at]) return;
    (*seen)[at] = true;
    const RegexStep& step = steps_[at];
    switch (step.kind) {
      case Kind::kText:
        begins_[static_cast<unsigned char>(step.text[0])] = true;
        return;
      case Kind::kRepeat:
        for (size_t byte = 0; byte < begins_.size(); ++byte) {
          const auto answer = sets_[step.set].Has(static_cast<char>(byte));
          begins_[byte] = begins_[byte] || answer != CharacterSet::Answer::kNo;
        }
        if (step.least > 0) return;
        break;
      case Kind::kSplit:
        FindBegins(at + step.first, seen);
        at += step.second - 1;
        break;
      case Kind::kJump:
        at += step.first - 1;
        break;
      case Kind::kFound:
        can_be_empty_ = true;
        return;
      default:
        break;
    }
  }
}

std::optional<RegexProgram> RegexProgram::Of(std::string_view pattern, bool keeps_groups) {
  return RegexCompiler(pattern, keeps_groups).Run();
}

}  // namespace lance::query
