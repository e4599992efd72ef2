#include "query/json/json_encoder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "query/json/is_utf8.h"
#include "query/json/json_layout.h"
#include "query/json/json_syntax.h"
#include "query/json/jsonb.h"

namespace lance::query {
namespace {

/// Longer numbers are doubles, whatever their value.
constexpr size_t kMaxIntegerDigits = 38;
/// Numbers of 16 hexadecimal digits fit 64 bits, of 32 the grammar.
constexpr size_t kMaxHexDigits = 32;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::optional<uint32_t> HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = Lower(c);
  if (lower >= 'a' && lower <= 'f') return lower - 'a' + 10;
  return std::nullopt;
}

bool IsKeyCharacter(char c, bool first) {
  const char lower = Lower(c);
  return (lower >= 'a' && lower <= 'z') || c == '_' || c == '$' ||
         (static_cast<uint8_t>(c) & 0x80) != 0 || (!first && IsDigit(c));
}

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
    return;
  }
  if (code < 0x800) {
    out->push_back(static_cast<char>(0xC0 | code >> 6));
  } else if (code < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | code >> 12));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | code >> 18));
    out->push_back(static_cast<char>(0x80 | (code >> 12 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
  }
  out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
}

bool IsHigh(uint32_t code) { return code >= 0xD800 && code < 0xDC00; }
bool IsLow(uint32_t code) { return code >= 0xDC00 && code < 0xE000; }

std::string HexByte(char c) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const auto byte = static_cast<uint8_t>(c);
  return {kDigits[byte >> 4], kDigits[byte & 15]};
}

// Parses text and appends payloads to `out`. A value is its payload and the word that describes it.
class Encoder {
 public:
  /// `lossless`: what has no value of its own is refused.
  Encoder(std::string_view text, std::string* out, bool lossless)
      : text_(text), lossless_(lossless), out_(*out) {}

  Status Encode() {
    SkipSpace();
    uint32_t word = 0;
    const size_t start = out_.size();
    if (AtEnd()) {
      word = WordOf(WordType::kNull, 0);
    } else {
      ARROW_RETURN_NOT_OK(Value(0, &word));
      SkipSpace();
      if (!AtEnd()) return Wrong("trailing characters");
    }
    if (TypeOf(word) == WordType::kContainer) return Status::OK();
    std::string head;
    AppendWord(HeaderOf(Kind::kScalar, 0), &head);
    AppendWord(word, &head);
    out_.insert(start, head);
    return Status::OK();
  }

 private:
  bool AtEnd() const { return at_ == text_.size(); }
  char Peek() const { return text_[at_]; }
  char PeekAfter(size_t count) const {
    return at_ + count < text_.size() ? text_[at_ + count] : '\0';
  }

  Status WrongAt(std::string_view what, size_t position) const {
    return UserError("Failed to encode JSON: ", what, ", pos ", position);
  }
  Status Wrong(std::string_view what) const { return WrongAt(what, at_); }
  Status Ended() const { return Wrong("EOF while parsing a value"); }

  // White space, also as escapes that were not undone.
  void SkipSpace() {
    while (!AtEnd()) {
      const char c = Peek();
      if (c == ' ' || (c >= '\t' && c <= '\r' && c != '\v')) {
        ++at_;
      } else if (c == '\\' && (PeekAfter(1) == 'n' || PeekAfter(1) == 'r' || PeekAfter(1) == 't')) {
        at_ += 2;
      } else if (text_.substr(at_, 4) == "\\x0C") {
        at_ += 4;
      } else {
        return;
      }
    }
  }

  Status Describe(WordType type, size_t start, uint32_t* word) const {
    const size_t size = out_.size() - start;
    if (size > kLengthMask) return Wrong("value of more than 256 MiB");
    *word = WordOf(type, static_cast<uint32_t>(size));
    return Status::OK();
  }

  Status Value(int depth, uint32_t* word) {
    SkipSpace();
    if (AtEnd()) return Ended();
    const char c = Peek();
    switch (Lower(c)) {
      case '{':
        return Object(depth, word);
      case '[':
        return Array(depth, word);
      case '"':
      case '\'': {
        const size_t start = out_.size();
        ARROW_RETURN_NOT_OK(String());
        return Describe(WordType::kString, start, word);
      }
      case 'n':
        if (Lower(PeekAfter(1)) == 'a') return Special("nan", kNan, word);
        return Literal("null", WordType::kNull, word);
      case 't':
        return Literal("true", WordType::kTrue, word);
      case 'f':
        return Literal("false", WordType::kFalse, word);
      case 'i':
        return Special("infinity", kInfinity, word);
      default:
        if (IsDigit(c) || c == '-' || c == '+' || c == '.') return Number(word);
        return Wrong("expected value");
    }
  }

  Status Ident(std::string_view ident) {
    for (char wanted : ident) {
      if (AtEnd()) return Ended();
      if (Lower(Peek()) != wanted) return Wrong("expected ident");
      ++at_;
    }
    return Status::OK();
  }

  Status Literal(std::string_view ident, WordType type, uint32_t* word) {
    ARROW_RETURN_NOT_OK(Ident(ident));
    *word = WordOf(type, 0);
    return Status::OK();
  }

  Status Special(std::string_view ident, double value, uint32_t* word) {
    ARROW_RETURN_NOT_OK(Ident(ident));
    return Put(value, word);
  }

  Status Put(const JsonNumber& number, uint32_t* word) {
    const size_t start = out_.size();
    out_ += EncodeNumber(number);
    return Describe(WordType::kNumber, start, word);
  }

  // ---- numbers ----

  Status Number(uint32_t* word) {
    const size_t start = at_;
    const bool negative = Peek() == '-';
    if (negative || Peek() == '+') ++at_;
    if (AtEnd()) return WrongAt("invalid number", start);
    const char first = Lower(Peek());
    if (first == 'i') return Special("infinity", negative ? -kInfinity : kInfinity, word);
    if (first == 'n' && !negative) return Special("nan", kNan, word);
    if (first == '0' && Lower(PeekAfter(1)) == 'x') return Hexadecimal(start, negative, word);
    return Decimal(start, negative, word);
  }

  size_t SkipDigits() {
    const size_t start = at_;
    while (!AtEnd() && IsDigit(Peek())) ++at_;
    return at_ - start;
  }

  Status Decimal(size_t start, bool negative, uint32_t* word) {
    const size_t digits_start = at_;
    while (!AtEnd() && Peek() == '0') ++at_;
    const size_t significant = at_;
    SkipDigits();
    const std::string_view integer = text_.substr(significant, at_ - significant);
    size_t digits = at_ - digits_start;
    size_t fraction = 0;
    if (!AtEnd() && Peek() == '.') {
      ++at_;
      fraction = SkipDigits();
      digits += fraction;
      if (!AtEnd() && Peek() == '.') return WrongAt("invalid number", start);
    }
    if (digits == 0) return WrongAt("invalid number", start);
    bool exponent = false;
    if (!AtEnd() && Lower(Peek()) == 'e') {
      exponent = true;
      ++at_;
      if (!AtEnd() && (Peek() == '+' || Peek() == '-')) ++at_;
      if (SkipDigits() == 0) return WrongAt("invalid number", start);
    }
    if (!exponent && fraction == 0 && integer.size() <= kMaxIntegerDigits) {
      if (const auto number = Integer(integer, negative)) return Put(*number, word);
    }
    const double value = Double(text_.substr(digits_start, at_ - digits_start));
    if (lossless_ && std::isinf(value)) return WrongAt("number out of range", start);
    return Put(negative ? -value : value, word);
  }

  // Of the digits after leading zeros; nothing if no 64-bit number holds them.
  static std::optional<JsonNumber> Integer(std::string_view digits, bool negative) {
    uint64_t value = 0;
    if (!digits.empty()) {
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (error != std::errc()) return std::nullopt;
    }
    return Signed(value, negative);
  }

  static std::optional<JsonNumber> Signed(uint64_t value, bool negative) {
    if (!negative) return value;
    if (value > uint64_t{1} << 63) return std::nullopt;
    return static_cast<int64_t>(-value);
  }

  // Correctly rounded; too large is infinite, too small is zero.
  static double Double(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc()) return value;
    return IsLarge(text) ? kInfinity : 0.0;
  }

  // Whether a number that no double holds is far from zero, not close to it.
  static bool IsLarge(std::string_view text) {
    const size_t e = text.find_first_of("eE");
    if (e != std::string_view::npos) {
      const char sign = text[e + 1];
      // The digits before cannot outweigh an exponent that is out of range, unless there are
      // millions of them: then the point decides.
      int64_t exponent = 0;
      const char* first = text.data() + e + 1 + (sign == '+' ? 1 : 0);
      const auto [end, error] = std::from_chars(first, text.data() + text.size(), exponent);
      if (error != std::errc()) return sign != '-';
      return exponent + Magnitude(text.substr(0, e)) > 0;
    }
    return Magnitude(text) > 0;
  }

  // The decimal exponent of the first digit that is not 0.
  static int64_t Magnitude(std::string_view digits) {
    const size_t point = std::min(digits.find('.'), digits.size());
    const size_t first = digits.find_first_not_of("0.");
    if (first == std::string_view::npos) return 0;
    const auto before = static_cast<int64_t>(point) - static_cast<int64_t>(first);
    return first < point ? before - 1 : before;
  }

  Status Hexadecimal(size_t start, bool negative, uint32_t* word) {
    at_ += 2;
    const size_t digits_start = at_;
    unsigned __int128 value = 0;
    size_t significant = 0;
    for (; !AtEnd(); ++at_) {
      const auto digit = HexDigit(Peek());
      if (!digit) break;
      if (significant > 0 || *digit > 0) ++significant;
      if (significant > kMaxHexDigits) return WrongAt("invalid number", start);
      value = value << 4 | *digit;
    }
    size_t digits = at_ - digits_start;
    if (!AtEnd() && Peek() == '.') {
      ++at_;
      double sum = static_cast<double>(value);
      double place = 1.0;
      for (; !AtEnd(); ++at_, ++digits) {
        const auto digit = HexDigit(Peek());
        if (!digit) break;
        place /= 16;
        sum += *digit * place;
      }
      if (digits == 0) return WrongAt("invalid number", start);
      return Put(negative ? -sum : sum, word);
    }
    if (digits == 0) return WrongAt("invalid number", start);
    if (value <= std::numeric_limits<uint64_t>::max()) {
      const auto number = Signed(static_cast<uint64_t>(value), negative);
      if (number) return Put(*number, word);
    }
    const auto wide = static_cast<double>(value);
    return Put(negative ? -wide : wide, word);
  }

  // ---- strings ----

  Status String() {
    const char quote = Peek();
    ++at_;
    while (true) {
      const size_t start = at_;
      while (!AtEnd() && Peek() != quote && Peek() != '\\') ++at_;
      out_.append(text_.substr(start, at_ - start));
      if (AtEnd()) return Ended();
      if (Peek() == quote) {
        ++at_;
        return Status::OK();
      }
      ARROW_RETURN_NOT_OK(Escape());
    }
  }

  Status Escape() {
    ++at_;
    if (AtEnd()) return Ended();
    const char c = Peek();
    ++at_;
    switch (c) {
      case '"':
      case '\\':
      case '/':
        out_.push_back(c);
        return Status::OK();
      case 'b':
        out_.push_back('\b');
        return Status::OK();
      case 'f':
        out_.push_back('\f');
        return Status::OK();
      case 'n':
        out_.push_back('\n');
        return Status::OK();
      case 'r':
        out_.push_back('\r');
        return Status::OK();
      case 't':
        out_.push_back('\t');
        return Status::OK();
      case 'u':
        return Unicode();
      default:
        return Wrong("invalid escaped '" + HexByte(c) + "'");
    }
  }

  struct CodeUnit {
    uint32_t code = 0;
    std::string_view digits;
  };

  Result<CodeUnit> HexUnit() {
    const bool braces = !AtEnd() && Peek() == '{';
    if (braces) ++at_;
    CodeUnit unit;
    const size_t start = at_;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (AtEnd()) return Ended();
      const auto digit = HexDigit(Peek());
      if (!digit && braces) return Wrong("unexpected end of hex escape");
      if (!digit) return Wrong("invalid hex '" + HexByte(Peek()) + "'");
      unit.code = unit.code << 4 | *digit;
    }
    unit.digits = text_.substr(start, 4);
    if (!braces) return unit;
    if (AtEnd() || Peek() != '}') return Wrong("unexpected end of hex escape");
    ++at_;
    return unit;
  }

  // Half of a pair that has no other half stays the text of its escape.
  Status PutEscape(const CodeUnit& unit) {
    if (lossless_) return Wrong("escape of half a character");
    out_.append("\\u").append(unit.digits);
    return Status::OK();
  }

  Status Unicode() {
    ARROW_ASSIGN_OR_RAISE(const CodeUnit unit, HexUnit());
    if (!IsHigh(unit.code)) {
      if (IsLow(unit.code)) return PutEscape(unit);
      AppendUtf8(unit.code, &out_);
      return Status::OK();
    }
    if (AtEnd() || Peek() != '\\' || PeekAfter(1) != 'u') return PutEscape(unit);
    at_ += 2;
    ARROW_ASSIGN_OR_RAISE(const CodeUnit second, HexUnit());
    if (IsLow(second.code)) {
      AppendUtf8(0x10000 + ((unit.code - 0xD800) << 10) + (second.code - 0xDC00), &out_);
      return Status::OK();
    }
    ARROW_RETURN_NOT_OK(PutEscape(unit));
    return PutEscape(second);
  }

  // ---- containers ----

  Status Enter(int depth) {
    if (depth >= kMaxNesting) return Wrong("nested deeper than 1000 levels");
    ++at_;
    return Status::OK();
  }

  Status Array(int depth, uint32_t* word) {
    ARROW_RETURN_NOT_OK(Enter(depth));
    const size_t start = out_.size();
    std::vector<uint32_t> words;
    SkipSpace();
    if (!AtEnd() && Peek() == ']') {
      ++at_;
      return Close(Kind::kArray, 0, {}, start, word);
    }
    while (true) {
      SkipSpace();
      if (AtEnd()) return Ended();
      if (Peek() == ',' || Peek() == ']') {
        words.push_back(WordOf(WordType::kNull, 0));  // an empty place
      } else {
        ARROW_RETURN_NOT_OK(Value(depth + 1, &words.emplace_back()));
      }
      SkipSpace();
      if (AtEnd()) return Ended();
      const char c = Peek();
      if (c != ',' && c != ']') return Wrong("expected `,` or `]`");
      ++at_;
      if (c == ']') return Close(Kind::kArray, words.size(), words, start, word);
    }
  }

  // Puts header and words before the payloads that begin at `start`.
  Status Close(Kind kind, size_t count, const std::vector<uint32_t>& words, size_t start,
               uint32_t* word) {
    if (count > kCountMask) return Wrong("array or object of too many values");
    std::string head;
    head.reserve(4 * (words.size() + 1));
    AppendWord(HeaderOf(kind, static_cast<uint32_t>(count)), &head);
    for (uint32_t each : words) AppendWord(each, &head);
    out_.insert(start, head);
    return Describe(WordType::kContainer, start, word);
  }

  // A key and its value, one after the other in `out_`.
  struct Member {
    size_t start = 0;
    size_t key_size = 0;
    size_t value_size = 0;
    uint32_t word = 0;
    size_t text_end = 0;
  };

  Status Object(int depth, uint32_t* word) {
    ARROW_RETURN_NOT_OK(Enter(depth));
    const size_t start = out_.size();
    std::vector<Member> members;
    SkipSpace();
    if (!AtEnd() && Peek() == '}') {
      ++at_;
      return Close(Kind::kObject, 0, {}, start, word);
    }
    while (true) {
      ARROW_RETURN_NOT_OK(ReadMember(depth, &members.emplace_back()));
      SkipSpace();
      if (AtEnd()) return Ended();
      const char c = Peek();
      if (c != ',' && c != '}') return Wrong("expected `,` or `}`");
      ++at_;
      if (c == '}') return CloseObject(std::move(members), start, word);
    }
  }

  Status ReadMember(int depth, Member* member) {
    SkipSpace();
    member->start = out_.size();
    ARROW_RETURN_NOT_OK(Key());
    member->key_size = out_.size() - member->start;
    if (member->key_size > kLengthMask) return Wrong("key of more than 256 MiB");
    member->text_end = at_;
    SkipSpace();
    if (AtEnd()) return Ended();
    if (Peek() != ':') return Wrong("expected `:`");
    ++at_;
    ARROW_RETURN_NOT_OK(Value(depth + 1, &member->word));
    member->value_size = out_.size() - member->start - member->key_size;
    return Status::OK();
  }

  Status Key() {
    if (AtEnd()) return Ended();
    const char c = Peek();
    if (c == '"' || c == '\'') return String();
    if (IsDigit(c)) return Wrong("object attribute name cannot be a number");
    if (!IsKeyCharacter(c, /*first=*/true)) {
      return Wrong("object attribute name cannot be invalid character");
    }
    const size_t start = at_;
    while (!AtEnd() && IsKeyCharacter(Peek(), /*first=*/false)) ++at_;
    out_.append(text_.substr(start, at_ - start));
    return Status::OK();
  }

  Status CloseObject(std::vector<Member> members, size_t start, uint32_t* word) {
    const std::string bytes = out_.substr(start);
    auto key = [&](const Member& member) {
      return std::string_view(bytes).substr(member.start - start, member.key_size);
    };
    auto value = [&](const Member& member) {
      return std::string_view(bytes).substr(member.start - start + member.key_size,
                                            member.value_size);
    };
    std::stable_sort(members.begin(), members.end(),
                     [&](const Member& a, const Member& b) { return key(a) < key(b); });
    for (size_t i = 1; i < members.size(); ++i) {
      if (key(members[i - 1]) != key(members[i])) continue;
      return WrongAt("duplicate object attribute \"" + std::string(key(members[i])) + "\"",
                     members[i].text_end);
    }
    out_.resize(start);
    std::vector<uint32_t> words;
    words.reserve(2 * members.size());
    for (const Member& member : members) {
      words.push_back(WordOf(WordType::kString, static_cast<uint32_t>(member.key_size)));
      out_ += key(member);
    }
    for (const Member& member : members) {
      words.push_back(member.word);
      out_ += value(member);
    }
    return Close(Kind::kObject, members.size(), words, start, word);
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  const std::string_view text_;
  const bool lossless_;
  size_t at_ = 0;
  std::string& out_;
};

Status Encode(std::string_view text, bool lossless, std::string* out) {
  const size_t start = out->size();
  if (!IsUtf8(text)) {
    return UserError("Failed to encode JSON: the text is not UTF-8");
  }
  Status status = Encoder(text, out, lossless).Encode();
  if (!status.ok()) out->resize(start);
  return status;
}

}  // namespace

Status AppendStrictJsonb(std::string_view text, std::string* out) {
  ARROW_RETURN_NOT_OK(CheckJsonSyntax(text));
  return Encode(text, /*lossless=*/true, out);
}

Status AppendJsonb(std::string_view text, std::string* out) {
  return Encode(text, /*lossless=*/false, out);
}

}  // namespace lance::query
