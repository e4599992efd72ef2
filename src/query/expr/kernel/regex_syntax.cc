#include "query/expr/kernel/regex_syntax.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "query/expr/kernel/utf8.h"

namespace lance::query {
namespace {

using lance::internal::Concat;

// What stands in brackets. Letters that are no letters by their category (circled ones) are listed,
// as RE2 knows categories and scripts only.
constexpr std::string_view kWord =
    R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200C}\x{200D}\x{24B6}-\x{24E9})"
    R"(\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189})";
constexpr std::string_view kSpace = R"(\x{9}-\x{D}\x{85}\p{Z})";
constexpr std::string_view kNoSpace =
    R"(\x{0}-\x{8}\x{E}-\x{1F}\x{21}-\x{84}\x{86}-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF})"
    R"(\x{200B}-\x{2027}\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{10FFFF})";

struct Category {
  std::string_view name;
  std::string_view short_name;
};
constexpr std::array<Category, 13> kCategories = {{
    {"Letter", "L"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"Punctuation", "P"},
    {"Symbol", "S"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
}};

/// The name of a category that RE2 knows; other names as they are.
std::string_view ShortCategory(std::string_view name) {
  for (const Category& category : kCategories) {
    if (category.name == name) return category.short_name;
  }
  return name;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Writes a pattern again, from left to right.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern), left_(pattern) {}

  Result<RegexPattern> Run(std::string_view flags) {
    ARROW_ASSIGN_OR_RAISE(std::string kept, Flags(flags));
    if (!kept.empty()) Emit(Concat("(?", kept, ")"));
    atom_ = kNone;
    while (!left_.empty()) ARROW_RETURN_NOT_OK(Step());
    if (!open_.empty()) return Wrong("a group is not closed");
    return std::move(result_);
  }

 private:
  static constexpr size_t kNone = std::string::npos;

  struct Group {
    size_t begin = 0;
    bool ignores_space = false;
  };
  struct Class {
    bool is_negated = false;
    std::string items;
  };

  Status Wrong(std::string_view what) const {
    return UserError("regular expression '", pattern_.substr(0, ByteOfCharacter(pattern_, 60)),
                     "': ", what);
  }

  char Peek(size_t ahead = 0) const { return ahead < left_.size() ? left_[ahead] : '\0'; }
  bool Take(std::string_view prefix) {
    if (!left_.starts_with(prefix)) return false;
    left_.remove_prefix(prefix.size());
    return true;
  }
  std::string_view TakeCharacter() {
    const std::string_view character = left_.substr(0, CharacterBytes(left_));
    left_.remove_prefix(character.size());
    return character;
  }

  /// Something that may be repeated.
  void Emit(std::string_view atom) {
    atom_ = result_.text.size();
    is_repeated_ = false;
    result_.text += atom;
  }

  Status Step() {
    if (ignores_space_ && IsSpace(Peek())) {
      left_.remove_prefix(1);
      return Status::OK();
    }
    if (ignores_space_ && Peek() == '#') {
      left_.remove_prefix(std::min(left_.find('\n'), left_.size()));
      return Status::OK();
    }
    switch (Peek()) {
      case '\\':
        return Escape();
      case '[': {
        ARROW_ASSIGN_OR_RAISE(Class set, Brackets(0));
        Emit(Concat(set.is_negated ? "[^" : "[", set.items, "]"));
        return Status::OK();
      }
      case '(':
        return Open();
      case ')':
        return Close();
      case '|':
        left_.remove_prefix(1);
        Emit("|");
        atom_ = kNone;
        return Status::OK();
      case '*':
      case '+':
      case '?':
        return Repeat(left_.substr(0, 1));
      case '{':
        return CountedRepeat();
      default:
        Emit(TakeCharacter());
        return Status::OK();
    }
  }

  // ---- repetition ----

  /// `a+*` is `(?:a+)*`.
  Status Repeat(std::string_view quantifier) {
    if (atom_ == kNone) return Wrong(Concat("there is nothing that '", quantifier, "' repeats"));
    left_.remove_prefix(quantifier.size());
    if (is_repeated_) {
      result_.text.insert(atom_, "(?:");
      result_.text += ')';
    }
    result_.text += quantifier;
    if (Take("?")) result_.text += '?';
    is_repeated_ = true;
    return Status::OK();
  }

  Status CountedRepeat() {
    const size_t end = left_.find('}');
    const std::string_view counts = left_.substr(1, end == kNone ? 0 : end - 1);
    const size_t comma = std::min(counts.find(','), counts.size());
    const bool is_counted =
        comma > 0 && std::all_of(counts.begin(), counts.begin() + comma, IsDigit) &&
        std::all_of(counts.begin() + std::min(comma + 1, counts.size()), counts.end(), IsDigit);
    if (!is_counted) return Wrong("'{' begins no count such as {2} or {1,3}; write \\{");
    return Repeat(left_.substr(0, end + 1));
  }

  // ---- groups and flags ----

  /// The flags that RE2 has; `x` is kept in mind.
  Result<std::string> Flags(std::string_view flags) {
    std::string kept;
    bool is_on = true;
    for (char flag : flags) {
      if (flag == '-' && is_on) {
        is_on = false;
      } else if (flag == 'x') {
        ignores_space_ = is_on;
        continue;
      } else if (flag == 'u' && is_on) {
        continue;  // it always is
      } else if (std::string_view("imsU").find(flag) == kNone) {
        return Wrong(Concat("the flag '", is_on ? "" : "-", std::string_view(&flag, 1),
                            "' is not supported; there are i, m, s, U, x and u"));
      }
      kept += flag;
    }
    return kept == "-" ? "" : kept;
  }

  Status Open() {
    left_.remove_prefix(1);
    const Group group{result_.text.size(), ignores_space_};
    if (!Take("?")) return OpenNamed(group, "");
    if (Take("P<") || (Peek() == '<' && Peek(1) != '=' && Peek(1) != '!' && Take("<"))) {
      const size_t end = left_.find('>');
      if (end == kNone || end == 0) return Wrong("a group has no name");
      const std::string name(left_.substr(0, end));
      left_.remove_prefix(end + 1);
      return OpenNamed(group, name);
    }
    const size_t end = left_.find_first_of(":)");
    if (end == kNone || left_.find_first_of("=!<") < end) {
      return Wrong("there is no look-around");
    }
    ARROW_ASSIGN_OR_RAISE(std::string kept, Flags(left_.substr(0, end)));
    const bool is_group = left_[end] == ':';
    left_.remove_prefix(end + 1);
    if (is_group) {
      Push(group, Concat("(?", kept, ":"));
    } else if (!kept.empty()) {
      Emit(Concat("(?", kept, ")"));
    }
    atom_ = kNone;
    return Status::OK();
  }

  Status OpenNamed(const Group& group, std::string name) {
    result_.groups.push_back(std::move(name));
    Push(group, Concat("(?P<g", result_.groups.size(), ">"));
    return Status::OK();
  }

  void Push(const Group& group, std::string_view text) {
    open_.push_back(group);
    Emit(text);
    atom_ = kNone;
  }

  Status Close() {
    if (open_.empty()) return Wrong("')' closes nothing");
    left_.remove_prefix(1);
    result_.text += ')';
    atom_ = open_.back().begin;
    is_repeated_ = false;
    ignores_space_ = open_.back().ignores_space;
    open_.pop_back();
    return Status::OK();
  }

  // ---- escapes ----

  Status Escape() {
    const char c = Peek(1);
    if (auto set = NamedClass(c)) {
      left_.remove_prefix(2);
      Emit(Concat("[", *set, "]"));
      return Status::OK();
    }
    if (c == 'W') {
      left_.remove_prefix(2);
      Emit(Concat("[^", kWord, "]"));
      return Status::OK();
    }
    if (c == 'b' || c == 'B' || c == 'A' || c == 'z') {
      if (c == 'b' && Peek(2) == '{') return Wrong(R"(there is no \b{…})");
      result_.has_inner_boundary = result_.has_inner_boundary || c == 'B';
      Emit(left_.substr(0, 2));
      left_.remove_prefix(2);
      return Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(std::string text, OneCharacterOrProperty());
    Emit(text);
    return Status::OK();
  }

  /// What goes into brackets for `\d`, `\D`, `\s`, `\S`, `\w`.
  static std::optional<std::string_view> NamedClass(char c) {
    switch (c) {
      case 'd':
        return R"(\p{Nd})";
      case 'D':
        return R"(\P{Nd})";
      case 's':
        return kSpace;
      case 'S':
        return kNoSpace;
      case 'w':
        return kWord;
      default:
        return std::nullopt;
    }
  }

  /// Escapes that mean the same in brackets and outside.
  Result<std::string> OneCharacterOrProperty() {
    const char c = Peek(1);
    const std::string escaped(left_.substr(0, 2));
    if (c == 'x' || c == 'u' || c == 'U') return CodePoint(c == 'x' ? 2 : c == 'u' ? 4 : 8);
    if (c == 'p' || c == 'P') {
      const size_t end = Peek(2) == '{' ? left_.find('}') : 2;
      if (end == kNone || left_.size() < 3) return Wrong("a property such as \\p{L} is not closed");
      const std::string_view property = left_.substr(0, end + 1);
      left_.remove_prefix(end + 1);
      if (property[2] != '{') return std::string(property);
      return Concat(property.substr(0, 3), ShortCategory(property.substr(3, end - 3)), "}");
    }
    const bool is_known = IsLetter(c) ? std::string_view("aftnrv").find(c) != kNone
                                      : c > ' ' - 1 && static_cast<unsigned char>(c) < 0x80 &&
                                            !IsDigit(c) && c != '<' && c != '>' && c != '_';
    if (!is_known) return Wrong(Concat("there is no escape '", escaped, "'"));
    left_.remove_prefix(2);
    return escaped;
  }

  /// `\x41`, `\u0041`, `\U00000041` or with the digits in braces.
  Result<std::string> CodePoint(size_t digits) {
    left_.remove_prefix(2);
    size_t end = digits;
    const bool has_braces = Take("{");
    if (has_braces) end = left_.find('}');
    const std::string hex(left_.substr(0, end));
    const bool is_hex =
        end <= left_.size() && !hex.empty() && std::all_of(hex.begin(), hex.end(), IsHexDigit);
    if (!is_hex) return Wrong("expected hexadecimal digits of a character");
    left_.remove_prefix(end + (has_braces ? 1 : 0));
    return Concat("\\x{", hex, "}");
  }

  // ---- brackets ----

  Result<Class> Brackets(int depth) {
    constexpr int kMostNesting = 16;
    if (depth > kMostNesting) return Wrong("too many brackets in each other");
    left_.remove_prefix(1);
    Class set;
    set.is_negated = Take("^");
    if (Take("]")) set.items += "\\]";
    while (!Take("]")) {
      if (left_.empty()) return Wrong("a character class is not closed");
      ARROW_RETURN_NOT_OK(Item(depth, &set));
    }
    if (set.items.empty()) return Wrong("a character class is empty");
    return set;
  }

  Status Item(int depth, Class* set) {
    if (ignores_space_ && IsSpace(Peek())) {
      left_.remove_prefix(1);
      return Status::OK();
    }
    for (std::string_view op : {"&&", "--", "~~"}) {
      if (left_.starts_with(op)) {
        return Wrong(Concat("character classes have no '", op, "' here"));
      }
    }
    if (left_.starts_with("[:")) {
      const size_t end = left_.find(":]");
      if (end == kNone) return Wrong("a character class is not closed");
      set->items += left_.substr(0, end + 2);
      left_.remove_prefix(end + 2);
      return Status::OK();
    }
    if (Peek() == '[') {
      ARROW_ASSIGN_OR_RAISE(Class inner, Brackets(depth + 1));
      return Add(inner, set);
    }
    if (Peek() != '\\') {
      set->items += TakeCharacter();
      return Status::OK();
    }
    if (auto named = NamedClass(Peek(1))) {
      left_.remove_prefix(2);
      set->items += *named;
      return Status::OK();
    }
    if (Take("\\W")) return Add({true, std::string(kWord)}, set);
    ARROW_ASSIGN_OR_RAISE(std::string text, OneCharacterOrProperty());
    set->items += text;
    return Status::OK();
  }

  /// RE2 can't unite a negated class with others.
  Status Add(const Class& inner, Class* set) {
    if (inner.is_negated) {
      if (!set->items.empty() || Peek() != ']') {
        return Wrong("a negated class (such as \\W) has to be alone in its brackets");
      }
      set->is_negated = !set->is_negated;
    }
    set->items += inner.items;
    return Status::OK();
  }

  std::string_view pattern_;
  std::string_view left_;
  RegexPattern result_;
  size_t atom_ = kNone;  // where what may be repeated begins
  bool is_repeated_ = false;
  bool ignores_space_ = false;
  std::vector<Group> open_;
};

/// A reference to a group in a replacement: its name or number, and what it takes of the text.
struct GroupReference {
  std::string_view name;
  size_t bytes = 0;
};

/// The reference at the start of a text that begins with `$` or `\`.
std::optional<GroupReference> ReferenceAt(std::string_view text) {
  auto is_name = [](char c) { return IsDigit(c) || IsLetter(c) || c == '_'; };
  if (text.starts_with("${")) {
    const size_t end = text.find('}');
    if (end == std::string_view::npos) return std::nullopt;
    return GroupReference{text.substr(2, end - 2), end + 1};
  }
  size_t end = 1;
  while (end < text.size() && (text[0] == '$' ? is_name(text[end]) : IsDigit(text[end]))) ++end;
  if (end == 1) return std::nullopt;
  return GroupReference{text.substr(1, end - 1), end};
}

/// The number of a group, or nothing if there is none of that name.
std::optional<size_t> NumberOf(std::string_view name, const RegexPattern& pattern) {
  size_t number = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size()) {
    return number <= pattern.groups.size() ? std::optional<size_t>(number) : std::nullopt;
  }
  auto found = std::find(pattern.groups.begin(), pattern.groups.end(), name);
  if (name.empty() || found == pattern.groups.end()) return std::nullopt;
  return static_cast<size_t>(found - pattern.groups.begin()) + 1;
}

}  // namespace

Result<RegexPattern> TranslateRegex(std::string_view pattern, std::string_view flags) {
  return Translator(pattern).Run(flags);
}

Result<std::string> TranslateReplacement(std::string_view replacement, const RegexPattern& pattern,
                                         size_t groups_before) {
  constexpr size_t kMostGroups = 9;
  std::string out;
  while (!replacement.empty()) {
    const char c = replacement[0];
    auto reference = c == '$' || c == '\\' ? ReferenceAt(replacement) : std::nullopt;
    if (replacement.starts_with("$$")) {
      out += '$';
      replacement.remove_prefix(2);
    } else if (reference) {
      if (auto number = NumberOf(reference->name, pattern)) {
        if (*number + groups_before > kMostGroups) {
          return UserError("the replacement names group ", *number, "; there may be ",
                           kMostGroups - groups_before);
        }
        out += Concat("\\", *number + groups_before);
      }
      replacement.remove_prefix(reference->bytes);
    } else {
      out += c == '\\' ? "\\\\" : std::string(1, c);
      replacement.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace lance::query
