#include "query/expr/kernel/date_format.h"

#include <array>

#include "query/expr/kernel/utf8.h"

namespace lance::query {
namespace {

using Piece = FormatPiece;

struct NumberLetter {
  char letter;
  Piece piece;
  int width;
  char pad;
};
constexpr std::array<NumberLetter, 22> kNumbers = {{
    {'Y', Piece::kYear, 4, '0'},
    {'C', Piece::kCentury, 2, '0'},
    {'y', Piece::kYearOfCentury, 2, '0'},
    {'G', Piece::kIsoYear, 4, '0'},
    {'g', Piece::kIsoYearOfCentury, 2, '0'},
    {'q', Piece::kQuarter, 1, '0'},
    {'m', Piece::kMonth, 2, '0'},
    {'d', Piece::kDay, 2, '0'},
    {'e', Piece::kDay, 2, ' '},
    {'U', Piece::kWeekFromSunday, 2, '0'},
    {'W', Piece::kWeekFromMonday, 2, '0'},
    {'V', Piece::kIsoWeek, 2, '0'},
    {'w', Piece::kWeekdayFromSunday, 1, '0'},
    {'u', Piece::kWeekdayFromMonday, 1, '0'},
    {'j', Piece::kDayOfYear, 3, '0'},
    {'H', Piece::kHour, 2, '0'},
    {'k', Piece::kHour, 2, ' '},
    {'I', Piece::kHour12, 2, '0'},
    {'l', Piece::kHour12, 2, ' '},
    {'M', Piece::kMinute, 2, '0'},
    {'S', Piece::kSecond, 2, '0'},
    {'f', Piece::kNanosecond, 9, '0'},
}};

struct NameLetter {
  char letter;
  Piece piece;
};
constexpr std::array<NameLetter, 9> kNames = {{
    {'b', Piece::kShortMonth},
    {'h', Piece::kShortMonth},
    {'B', Piece::kLongMonth},
    {'a', Piece::kShortWeekday},
    {'A', Piece::kLongWeekday},
    {'P', Piece::kLowerAmPm},
    {'p', Piece::kUpperAmPm},
    {'Z', Piece::kZoneName},
    {'z', Piece::kOffset},
}};

struct ShortForm {
  char letter;
  std::string_view format;
};
constexpr std::array<ShortForm, 9> kShortForms = {{
    {'D', "%m/%d/%y"},
    {'x', "%m/%d/%y"},
    {'F', "%Y-%m-%d"},
    {'v', "%e-%b-%Y"},
    {'R', "%H:%M"},
    {'T', "%H:%M:%S"},
    {'X', "%H:%M:%S"},
    {'r', "%I:%M:%S %p"},
    {'c', "%a %b %e %H:%M:%S %Y"},
}};

struct Spelling {
  std::string_view specifier;
  Piece piece;
  int width;
};
constexpr std::array<Spelling, 11> kSpellings = {{
    {":::z", Piece::kOffsetHour, 0},
    {"::z", Piece::kOffsetColonSeconds, 0},
    {":z", Piece::kOffsetColon, 0},
    {"#z", Piece::kOffsetLenient, 0},
    {".f", Piece::kFraction, 0},
    {".3f", Piece::kPointDigits, 3},
    {".6f", Piece::kPointDigits, 6},
    {".9f", Piece::kPointDigits, 9},
    {"3f", Piece::kDigits, 3},
    {"6f", Piece::kDigits, 6},
    {"9f", Piece::kDigits, 9},
}};

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class FormatReader {
 public:
  explicit FormatReader(std::string_view format) : left_(format) {}

  Result<std::vector<FormatItem>> Run() {
    while (!left_.empty()) {
      if (left_[0] == '%') {
        ARROW_RETURN_NOT_OK(Specifier());
      } else if (IsBlank(left_[0])) {
        AddText(Piece::kSpace, left_.substr(0, 1));
      } else {
        AddText(Piece::kText, left_.substr(0, CharacterBytes(left_)));
      }
    }
    return std::move(items_);
  }

 private:
  /// Also takes it from what is left.
  void AddText(Piece piece, std::string_view text) {
    if (items_.empty() || items_.back().piece != piece) items_.push_back({piece});
    items_.back().text += text;
    left_.remove_prefix(text.size());
  }

  void Add(FormatItem item, size_t bytes) {
    items_.push_back(std::move(item));
    left_.remove_prefix(bytes);
  }

  Status Unknown(size_t bytes) const {
    return UserError("a format of dates has no '%", left_.substr(0, bytes), "'");
  }

  Status Specifier() {
    left_.remove_prefix(1);
    for (const Spelling& spelling : kSpellings) {
      if (!left_.starts_with(spelling.specifier)) continue;
      Add({spelling.piece, '\0', spelling.width}, spelling.specifier.size());
      return Status::OK();
    }
    if (left_.empty()) return UserError("a format of dates ends in '%'");
    const bool has_pad = std::string_view("-_0").find(left_[0]) != std::string_view::npos;
    if (!has_pad) return Letter();
    const char pad = left_[0] == '-' ? '\0' : left_[0] == '_' ? ' ' : '0';
    left_.remove_prefix(1);
    const size_t before = items_.size();
    if (left_.empty() || !AddNumber()) return Unknown(left_.empty() ? 0 : CharacterBytes(left_));
    items_[before].pad = pad;
    return Status::OK();
  }

  bool AddNumber() {
    constexpr int kEpochWidth = 9;
    if (left_[0] == 's') {
      Add({Piece::kEpoch, '\0', kEpochWidth}, 1);
      return true;
    }
    for (const NumberLetter& number : kNumbers) {
      if (number.letter != left_[0]) continue;
      Add({number.piece, number.pad, number.width}, 1);
      return true;
    }
    return false;
  }

  Status Letter() {
    const char letter = left_[0];
    if (letter == '%') {
      AddText(Piece::kText, left_.substr(0, 1));
      return Status::OK();
    }
    if (letter == 'n' || letter == 't') {
      left_.remove_prefix(1);
      if (items_.empty() || items_.back().piece != Piece::kSpace) items_.push_back({Piece::kSpace});
      items_.back().text += letter == 'n' ? '\n' : '\t';
      return Status::OK();
    }
    if (letter == '+') {
      left_.remove_prefix(1);
      return AddAll("%Y-%m-%dT%H:%M:%S%.f", Piece::kOffsetOrZ);
    }
    for (const ShortForm& form : kShortForms) {
      if (form.letter != letter) continue;
      left_.remove_prefix(1);
      return AddAll(form.format, std::nullopt);
    }
    if (AddNumber()) return Status::OK();
    for (const NameLetter& name : kNames) {
      if (name.letter != letter) continue;
      Add({name.piece}, 1);
      return Status::OK();
    }
    return Unknown(CharacterBytes(left_));
  }

  Status AddAll(std::string_view format, std::optional<Piece> last) {
    ARROW_ASSIGN_OR_RAISE(auto items, FormatReader(format).Run());
    for (FormatItem& item : items) items_.push_back(std::move(item));
    if (last) items_.push_back({*last});
    return Status::OK();
  }

  std::string_view left_;
  std::vector<FormatItem> items_;
};

}  // namespace

Result<DateFormat> DateFormat::Make(std::string_view format) {
  DateFormat made;
  made.text_ = format;
  ARROW_ASSIGN_OR_RAISE(made.items_, FormatReader(format).Run());
  return made;
}

}  // namespace lance::query
