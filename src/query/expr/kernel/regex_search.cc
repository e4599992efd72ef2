#include "query/expr/kernel/regex_search.h"

#include <algorithm>

#include "query/expr/kernel/utf8.h"

namespace lance::query {
namespace {

using Kind = RegexStep::Kind;

// Steps for each byte of a text, and for a text: what takes more is faster with RE2.
constexpr size_t kStepsPerByte = 32;
constexpr size_t kStepsPerText = 1024;

bool IsWordByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool IsInsideCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

RegexSearch::RegexSearch(const RegexProgram& program, std::string_view text)
    : program_(program), text_(text), steps_left_(kStepsPerByte * text.size() + kStepsPerText) {
  marks_.fill(kNowhere);
}

RegexSearch::Outcome RegexSearch::Find(size_t from) {
  if (program_.is_anchored() && from > 0) return Outcome::kNone;
  for (size_t start = from;; ++start) {
    if (!program_.can_be_empty()) {
      while (start < text_.size() && !program_.CanBegin(text_[start])) ++start;
      if (start == text_.size()) return Outcome::kNone;
    }
    if (program_.is_one_byte()) {
      marks_[0] = start;
      marks_[1] = start + 1;
      return Outcome::kFound;
    }
    if (program_.has_choices() && program_.keeps_groups()) marks_.fill(kNowhere);
    const bool is_found = Follow(0, start);
    if (is_too_hard_) return Outcome::kTooHard;
    if (is_found) {
      marks_[0] = start;
      return Outcome::kFound;
    }
    if (program_.is_anchored() || start == text_.size()) return Outcome::kNone;
    while (start + 1 < text_.size() && IsInsideCharacter(text_[start + 1])) ++start;
  }
}

void RegexSearch::Spend(size_t steps) {
  is_too_hard_ = is_too_hard_ || steps > steps_left_;
  steps_left_ -= is_too_hard_ ? 0 : steps;
}

size_t RegexSearch::Taken(const CharacterSet& set, size_t at) {
  if (at == text_.size()) return 0;
  const auto answer = set.Has(text_[at]);
  if (answer != CharacterSet::Answer::kAskCodePoint) {
    return answer == CharacterSet::Answer::kYes ? 1 : 0;
  }
  char32_t code_point = 0;
  const size_t bytes = ReadCharacter(text_.substr(at), &code_point);
  is_too_hard_ = is_too_hard_ || bytes == 0;
  return set.HasCodePoint(code_point) ? bytes : 0;
}

bool RegexSearch::IsWordEdge(size_t at) const {
  const bool before = at > 0 && IsWordByte(text_[at - 1]);
  const bool after = at < text_.size() && IsWordByte(text_[at]);
  return before != after;
}

/// As many characters as possible, then fewer.
bool RegexSearch::FollowGreedy(size_t step, size_t at) {
  const RegexStep& repeat = program_.steps()[step];
  const CharacterSet& set = program_.set(repeat.set);
  size_t count = 0;
  const std::string_view text = text_;
  while (count < repeat.most) {
    const size_t begin = at;
    const size_t end = at + std::min(repeat.most - count, text.size() - at);
    while (at < end && set.Has(text[at]) == CharacterSet::Answer::kYes) ++at;
    count += at - begin;
    const size_t bytes = count < repeat.most ? Taken(set, at) : 0;
    if (bytes == 0) break;
    at += bytes;
    ++count;
  }
  Spend(count);
  for (; count >= repeat.least && !is_too_hard_; --count) {
    if (Follow(step + 1, at)) return true;
    if (count == repeat.least) return false;
    do {
      --at;
    } while (IsInsideCharacter(text_[at]));
  }
  return false;
}

/// As few characters as possible, then more.
bool RegexSearch::FollowLazy(size_t step, size_t at) {
  const RegexStep& repeat = program_.steps()[step];
  const CharacterSet& set = program_.set(repeat.set);
  for (size_t count = 0; !is_too_hard_; ++count) {
    if (count >= repeat.least && Follow(step + 1, at)) return true;
    const size_t bytes = count < repeat.most ? Taken(set, at) : 0;
    if (bytes == 0) return false;
    at += bytes;
  }
  return false;
}

/// Whether the steps from this one on match there. Steps never lead back, so that it calls itself
/// no more often in itself than the program has steps.
bool RegexSearch::Follow(size_t step, size_t at) {
  for (;; ++step) {
    Spend(1);
    if (is_too_hard_) return false;
    const RegexStep& now = program_.steps()[step];
    switch (now.kind) {
      case Kind::kText:
        if (!text_.substr(at).starts_with(now.text)) return false;
        at += now.text.size();
        break;
      case Kind::kRepeat: {
        const bool is_once = now.least == 1 && now.most == 1;
        if (!is_once) return now.is_lazy ? FollowLazy(step, at) : FollowGreedy(step, at);
        const size_t bytes = Taken(program_.set(now.set), at);
        if (bytes == 0) return false;
        at += bytes;
        break;
      }
      case Kind::kSplit:
        if (Follow(step + now.first, at)) return true;
        step += now.second - 1;
        break;
      case Kind::kJump:
        step += now.first - 1;
        break;
      case Kind::kMark: {
        const size_t before = marks_[now.mark];
        marks_[now.mark] = at;
        // Without choices, a match passes all marks, and last.
        if (!program_.has_choices()) break;
        if (Follow(step + 1, at)) return true;
        marks_[now.mark] = before;
        return false;
      }
      case Kind::kTextBegin:
        if (at != 0) return false;
        break;
      case Kind::kTextEnd:
        if (at != text_.size()) return false;
        break;
      case Kind::kWordEdge:
        if (!IsWordEdge(at)) return false;
        break;
      case Kind::kFound:
        marks_[1] = at;
        return true;
    }
  }
}

}  // namespace lance::query
