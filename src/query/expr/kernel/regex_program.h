#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lance::query {

/// The length of the character at the start of a text that is not empty, and its code point; 0 for
/// bytes that are not UTF-8.
size_t ReadCharacter(std::string_view text, char32_t* code_point);

/// What one place of a pattern takes: `[a-z]`, `.`, `é`.
class CharacterSet {
 public:
  enum class Answer : uint8_t { kNo, kYes, kAskCodePoint };

  void Add(char32_t first, char32_t last);
  /// Both cases of its ASCII letters.
  void FoldAscii();
  void Negate();

  /// By the first byte of a character.
  Answer Has(char byte) const { return by_byte_[static_cast<unsigned char>(byte)]; }
  bool HasCodePoint(char32_t code_point) const;
  bool is_ascii() const { return ranges_.empty() && !is_negated_; }

 private:
  std::array<Answer, 256> by_byte_{};
  std::vector<std::pair<char32_t, char32_t>> ranges_;  // beyond ASCII
  bool is_negated_ = false;                            // what is beyond ASCII
};

/// One step of a match; the next one follows, but for kSplit and kJump.
struct RegexStep {
  enum class Kind : uint8_t {
    kText,    ///< these bytes
    kRepeat,  ///< `least` to `most` characters of a set
    kSplit,   ///< goes on `first` steps further, or else `second`
    kJump,    ///< goes on `first` steps further
    kMark,    ///< keeps the place: the begin or end of a group
    kTextBegin,
    kTextEnd,
    kWordEdge,  ///< of ASCII words
    kFound,
  };

  Kind kind = Kind::kFound;
  std::string text{};
  size_t set = 0;
  size_t least = 1;
  size_t most = 1;
  bool is_lazy = false;
  size_t first = 0;
  size_t second = 0;
  size_t mark = 0;
};

/// A regular expression that repeats characters only, never groups: its matches are found by
/// trying, in few steps each. All others, and few texts of these, are left to RE2.
class RegexProgram {
 public:
  /// A group takes part in at most so many.
  static constexpr size_t kMostGroups = 9;

  /// Of a pattern in RE2's syntax, as TranslateRegex writes it. `keeps_groups`: whether anyone asks
  /// where groups are.
  static std::optional<RegexProgram> Of(std::string_view pattern, bool keeps_groups);

  const std::vector<RegexStep>& steps() const { return steps_; }
  const CharacterSet& set(size_t at) const { return sets_[at]; }
  /// Its classes are known for ASCII only, so it is for such texts.
  bool is_for_ascii() const { return is_for_ascii_; }
  /// Only the begin of a text can be a match's.
  bool is_anchored() const { return is_anchored_; }
  bool keeps_groups() const { return keeps_groups_; }
  /// Whether matches need not pass all of the steps.
  bool has_choices() const { return has_choices_; }
  /// Whether a match is any one byte that can begin it.
  bool is_one_byte() const { return is_one_byte_; }
  /// Whether a match can begin with the byte, or can be empty.
  bool CanBegin(char byte) const { return begins_[static_cast<unsigned char>(byte)]; }
  bool can_be_empty() const { return can_be_empty_; }

 private:
  friend class RegexCompiler;
  void FindBegins(size_t at, std::vector<bool>* seen);

  std::vector<RegexStep> steps_;
  std::vector<CharacterSet> sets_;
  std::array<bool, 256> begins_{};
  bool is_for_ascii_ = false;
  bool is_anchored_ = false;
  bool is_one_byte_ = false;
  bool keeps_groups_ = false;
  bool has_choices_ = false;
  bool can_be_empty_ = false;
};

}  // namespace lance::query
