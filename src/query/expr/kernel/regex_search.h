#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "query/expr/kernel/regex_program.h"

namespace lance::query {

/// Looks for the matches of a program in one text. They are those of RE2: the leftmost, and of
/// those the one that is found first.
class RegexSearch {
 public:
  enum class Outcome : uint8_t {
    kNone,
    kFound,
    kTooHard,  ///< it takes too many steps, or the text is not UTF-8
  };

  RegexSearch(const RegexProgram& program, std::string_view text);

  /// The next match that begins at `from`, where a character begins, or later.
  Outcome Find(size_t from);

  /// Where it is.
  size_t begin() const { return marks_[0]; }
  size_t end() const { return marks_[1]; }
  /// What a group has of it, nothing if it took no part; group 0 is all of it.
  std::string_view Group(size_t number) const {
    const size_t begin = marks_[2 * number];
    const size_t end = marks_[2 * number + 1];
    if (begin == kNowhere || end == kNowhere) return {};
    return text_.substr(begin, end - begin);
  }

 private:
  static constexpr size_t kNowhere = std::string_view::npos;

  bool Follow(size_t step, size_t at);
  bool FollowGreedy(size_t step, size_t at);
  bool FollowLazy(size_t step, size_t at);
  /// The length of the character there, if it is of the set; 0 if not.
  size_t Taken(const CharacterSet& set, size_t at);
  bool IsWordEdge(size_t at) const;
  void Spend(size_t steps);

  const RegexProgram& program_;
  std::string_view text_;
  size_t steps_left_;
  bool is_too_hard_ = false;
  std::array<size_t, 2 * (RegexProgram::kMostGroups + 1)> marks_;
};

}  // namespace lance::query
