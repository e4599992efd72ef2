#include "query/json/jsonb.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "query/json/is_utf8.h"
#include "query/json/json_extension.h"
#include "query/json/json_layout.h"

namespace lance::query {
namespace {

enum class NumberTag : uint8_t {
  kZero = 0x00,
  kNan = 0x10,
  kInfinity = 0x20,
  kNegativeInfinity = 0x30,
  kSigned = 0x40,
  kUnsigned = 0x50,
  kDouble = 0x60,
  kDecimal = 0x70,
};

uint32_t WordAt(std::string_view bytes, size_t index) {
  return static_cast<uint32_t>(ReadBigEndian(bytes.substr(index * kWordBytes, kWordBytes)));
}

/// A container's header with its words, all within the bytes.
struct Container {
  Kind kind;
  size_t count;
  std::string_view bytes;

  size_t words() const {
    return kind == Kind::kScalar ? 1 : kind == Kind::kObject ? 2 * count : count;
  }
  size_t payload_start() const { return kWordBytes * (1 + words()); }
};

std::optional<Container> OpenContainer(std::string_view bytes) {
  if (bytes.size() < kWordBytes) return std::nullopt;
  uint32_t header = WordAt(bytes, 0);
  Container container{static_cast<Kind>(header >> 29), header & kCountMask, bytes};
  bool is_known = container.kind == Kind::kScalar || container.kind == Kind::kObject ||
                  container.kind == Kind::kArray;
  if (!is_known || container.payload_start() > bytes.size()) return std::nullopt;
  return container;
}

std::optional<JsonItem> ContainerItem(std::string_view bytes, int nesting);

std::optional<JsonItem> MakeItem(uint32_t type, std::string_view payload, int nesting) {
  switch (static_cast<WordType>(type)) {
    case WordType::kNull:
      return JsonItem{JsonType::kNull, {}};
    case WordType::kString:
      return JsonItem{JsonType::kString, payload};
    case WordType::kNumber: {
      JsonItem item{JsonType::kNumber, payload};
      return item.number() ? std::optional(item) : std::nullopt;
    }
    case WordType::kFalse:
      return JsonItem{JsonType::kFalse, {}};
    case WordType::kTrue:
      return JsonItem{JsonType::kTrue, {}};
    case WordType::kContainer:
      return ContainerItem(payload, nesting + 1);
    case WordType::kExtension:
      if (!ExtensionText(payload)) return std::nullopt;
      return JsonItem{JsonType::kExtension, payload};
  }
  return std::nullopt;
}

/// Calls use(index, type, payload) for each word; false if one is damaged.
template <typename Use>
bool ForEachWord(const Container& container, Use use) {
  size_t at = container.payload_start();
  for (size_t i = 0; i < container.words(); ++i) {
    uint32_t word = WordAt(container.bytes, i + 1);
    size_t length = word & kLengthMask;
    if (length > container.bytes.size() - at) return false;
    if (!use(i, (word >> 28) & 7, container.bytes.substr(at, length))) return false;
    at += length;
  }
  return true;
}

std::optional<JsonItem> ContainerItem(std::string_view bytes, int nesting) {
  if (nesting > kMaxNesting) return std::nullopt;
  auto container = OpenContainer(bytes);
  if (!container) return std::nullopt;
  if (container->kind == Kind::kObject) return JsonItem{JsonType::kObject, bytes};
  if (container->kind == Kind::kArray) return JsonItem{JsonType::kArray, bytes};
  std::optional<JsonItem> item;
  ForEachWord(*container, [&](size_t, uint32_t type, std::string_view payload) {
    // A scalar holds no container.
    if (type != static_cast<uint32_t>(WordType::kContainer))
      item = MakeItem(type, payload, nesting);
    return true;
  });
  return item;
}

void AppendQuoted(std::string_view text, std::string* out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kEscaped = "\"\\\b\t\n\f\r";
  constexpr std::string_view kLetters = "\"\\btnfr";
  out->push_back('"');
  for (char c : text) {
    size_t escape = kEscaped.find(c);
    if (escape != std::string_view::npos) {
      out->push_back('\\');
      out->push_back(kLetters[escape]);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      *out += "\\u00";
      out->push_back(kHex[static_cast<unsigned char>(c) >> 4]);
      out->push_back(kHex[static_cast<unsigned char>(c) & 15]);
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

/// Shortest digits; plain from 0.00001 up to 10^16, else with a signed exponent.
std::string DoubleText(double value) {
  if (!std::isfinite(value)) return "null";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  std::array<char, 400> buffer;
  auto format = [&](std::chars_format form) {
    auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, form);
    return std::string(buffer.data(), end);
  };
  std::string scientific = format(std::chars_format::scientific);
  size_t at = scientific.find('e');
  std::string_view digits(scientific.data() + at + 1, scientific.size() - at - 1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int exponent = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (exponent >= -5 && exponent <= 15) {
    std::string fixed = format(std::chars_format::fixed);
    return fixed.find('.') == std::string::npos ? fixed + ".0" : fixed;
  }
  return scientific.substr(0, at + 1) + (exponent < 0 ? "-" : "+") +
         std::to_string(std::abs(exponent));
}

bool AppendText(const JsonItem& item, int nesting, std::string* out) {
  if (nesting > kMaxNesting) return false;
  switch (item.type) {
    case JsonType::kNull:
      *out += "null";
      return true;
    case JsonType::kFalse:
      *out += "false";
      return true;
    case JsonType::kTrue:
      *out += "true";
      return true;
    case JsonType::kString:
      AppendQuoted(item.bytes, out);
      return true;
    case JsonType::kNumber: {
      auto number = item.number();
      if (number) *out += JsonNumberText(*number);
      return number.has_value();
    }
    case JsonType::kExtension: {
      auto text = ExtensionText(item.bytes);
      if (text) AppendQuoted(*text, out);
      return text.has_value();
    }
    case JsonType::kArray: {
      auto items = ItemsOf(item);
      if (!items) return false;
      out->push_back('[');
      for (size_t i = 0; i < items->size(); ++i) {
        if (i > 0) out->push_back(',');
        if (!AppendText((*items)[i], nesting + 1, out)) return false;
      }
      out->push_back(']');
      return true;
    }
    case JsonType::kObject: {
      auto members = MembersOf(item);
      if (!members) return false;
      out->push_back('{');
      for (size_t i = 0; i < members->size(); ++i) {
        if (i > 0) out->push_back(',');
        AppendQuoted((*members)[i].key, out);
        out->push_back(':');
        if (!AppendText((*members)[i].value, nesting + 1, out)) return false;
      }
      out->push_back('}');
      return true;
    }
  }
  return false;
}

/// The same size with the other sign.
void Negate(std::string* bytes) {
  bool carry = true;
  for (auto byte = bytes->rbegin(); byte != bytes->rend(); ++byte) {
    *byte = static_cast<char>(~*byte + (carry ? 1 : 0));
    carry = carry && *byte == 0;
  }
}

/// Of a big-endian number in two's complement.
double SignedAsDouble(std::string bytes) {
  const bool is_negative = (static_cast<unsigned char>(bytes[0]) & 0x80) != 0;
  if (is_negative) Negate(&bytes);
  // As many leading bits as one conversion rounds; of others only whether there are any.
  unsigned __int128 leading = 0;
  int dropped = 0;
  bool is_exact = true;
  for (char c : bytes) {
    if (leading >> 120 == 0) {
      leading = leading << 8 | static_cast<unsigned char>(c);
    } else {
      dropped += 8;
      is_exact = is_exact && c == 0;
    }
  }
  if (!is_exact) leading |= 1;
  const double size = std::ldexp(static_cast<double>(leading), dropped);
  return is_negative ? -size : size;
}

/// As the reference computes it, which is not always the nearest double.
double PowerOfTen(uint8_t exponent) {
  double power = 1;
  double square = 10;
  for (unsigned left = exponent; left != 0; left /= 2) {
    if (left % 2 == 1) power *= square;
    if (left > 1) square *= square;
  }
  return power;
}

/// A value of 8, 16 or 32 bytes and its scale; older writers put the precision between the two.
std::optional<JsonNumber> DecimalNumber(std::string_view bytes) {
  const size_t width = bytes.size() & ~size_t{7};
  const size_t extra = bytes.size() - width;
  const bool is_known =
      (width == 8 && extra == 1) || ((width == 16 || width == 32) && (extra == 1 || extra == 2));
  if (!is_known) return std::nullopt;
  const auto scale = static_cast<uint8_t>(bytes.back());
  return SignedAsDouble(std::string(bytes.substr(0, width))) / PowerOfTen(scale);
}

// Bytes that are no UTF-8 become U+FFFD.
std::string WithoutInvalidUtf8(std::string_view bytes) {
  if (IsUtf8(bytes)) return std::string(bytes);
  std::string out;
  while (!bytes.empty()) {
    size_t size = 1;
    while (size < 4 && size < bytes.size() && !IsUtf8(bytes.substr(0, size))) {
      ++size;
    }
    if (IsUtf8(bytes.substr(0, size))) {
      out += bytes.substr(0, size);
    } else {
      out += "\xEF\xBF\xBD";
      size = 1;
    }
    bytes.remove_prefix(size);
  }
  return out;
}

}  // namespace

std::optional<JsonNumber> JsonItem::number() const {
  if (bytes.empty()) return std::nullopt;
  auto tag = static_cast<NumberTag>(static_cast<unsigned char>(bytes[0]));
  std::string_view rest = bytes.substr(1);
  bool is_integer_size =
      rest.size() == 1 || rest.size() == 2 || rest.size() == 4 || rest.size() == 8;
  switch (tag) {
    case NumberTag::kZero:
      return uint64_t{0};
    case NumberTag::kNan:
      return std::nan("");
    case NumberTag::kInfinity:
      return HUGE_VAL;
    case NumberTag::kNegativeInfinity:
      return -HUGE_VAL;
    case NumberTag::kUnsigned:
      if (!is_integer_size) return std::nullopt;
      return ReadBigEndian(rest);
    case NumberTag::kSigned: {
      if (!is_integer_size) return std::nullopt;
      auto unused = static_cast<int>(64 - 8 * rest.size());
      return static_cast<int64_t>(ReadBigEndian(rest) << unused) >> unused;
    }
    case NumberTag::kDouble:
      if (rest.size() != sizeof(double)) return std::nullopt;
      return std::bit_cast<double>(ReadBigEndian(rest));
    case NumberTag::kDecimal:
      return DecimalNumber(rest);
  }
  return std::nullopt;
}

double AsDouble(const JsonNumber& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

double JsonItem::number_as_double() const { return AsDouble(number().value_or(0.0)); }

std::optional<JsonItem> ReadJsonb(std::string_view cell) { return ContainerItem(cell, 0); }

std::optional<std::vector<JsonItem>> ItemsOf(const JsonItem& array) {
  auto container = OpenContainer(array.bytes);
  if (!container || container->kind != Kind::kArray) return std::nullopt;
  std::vector<JsonItem> items;
  items.reserve(container->count);
  bool is_sound = ForEachWord(*container, [&](size_t, uint32_t type, std::string_view payload) {
    auto item = MakeItem(type, payload, 0);
    if (item) items.push_back(*item);
    return item.has_value();
  });
  return is_sound ? std::optional(std::move(items)) : std::nullopt;
}

std::optional<std::vector<JsonMember>> MembersOf(const JsonItem& object) {
  auto container = OpenContainer(object.bytes);
  if (!container || container->kind != Kind::kObject) return std::nullopt;
  std::vector<JsonMember> members(container->count);
  bool is_sound = ForEachWord(*container, [&](size_t i, uint32_t type, std::string_view payload) {
    if (i < members.size()) {
      members[i].key = payload;
      return type == static_cast<uint32_t>(WordType::kString);
    }
    auto item = MakeItem(type, payload, 0);
    if (item) members[i - members.size()].value = *item;
    return item.has_value();
  });
  return is_sound ? std::optional(std::move(members)) : std::nullopt;
}

std::optional<JsonItem> FindMember(const JsonItem& object, std::string_view key) {
  auto members = MembersOf(object);
  if (!members) return std::nullopt;
  for (const JsonMember& member : *members) {
    if (member.key == key) return member.value;
  }
  return std::nullopt;
}

std::optional<std::string> JsonText(const JsonItem& item) {
  std::string text;
  if (!AppendText(item, 0, &text)) return std::nullopt;
  return text;
}

std::string JsonNumberText(const JsonNumber& number) {
  if (const auto* value = std::get_if<double>(&number)) return DoubleText(*value);
  if (const auto* value = std::get_if<int64_t>(&number)) return std::to_string(*value);
  return std::to_string(std::get<uint64_t>(number));
}

std::string EncodeNumber(const JsonNumber& number) {
  auto tagged = [](NumberTag tag, uint64_t value, size_t width) {
    std::string bytes(1, static_cast<char>(tag));
    for (size_t i = width; i-- > 0;) bytes.push_back(static_cast<char>(value >> (8 * i)));
    return bytes;
  };
  if (const auto* value = std::get_if<double>(&number)) {
    if (std::isnan(*value)) return tagged(NumberTag::kNan, 0, 0);
    if (std::isinf(*value)) {
      return tagged(*value > 0 ? NumberTag::kInfinity : NumberTag::kNegativeInfinity, 0, 0);
    }
    return tagged(NumberTag::kDouble, std::bit_cast<uint64_t>(*value), sizeof(double));
  }
  // The fewest bytes of 1, 2, 4 and 8 that hold the value.
  if (const auto* value = std::get_if<int64_t>(&number); value != nullptr && *value < 0) {
    size_t width = 1;
    while (width < 8 && *value < -(int64_t{1} << (8 * width - 1))) width *= 2;
    return tagged(NumberTag::kSigned, static_cast<uint64_t>(*value), width);
  }
  auto value = std::visit([](auto v) { return static_cast<uint64_t>(v); }, number);
  if (value == 0) return tagged(NumberTag::kZero, 0, 0);
  size_t width = 1;
  while (width < 8 && value >> (8 * width) != 0) width *= 2;
  return tagged(NumberTag::kUnsigned, value, width);
}

std::string EncodeCell(const JsonItem& item) {
  if (item.is_container()) return std::string(item.bytes);
  WordType type = WordType::kNull;
  if (item.type == JsonType::kString) type = WordType::kString;
  if (item.type == JsonType::kNumber) type = WordType::kNumber;
  if (item.type == JsonType::kFalse) type = WordType::kFalse;
  if (item.type == JsonType::kTrue) type = WordType::kTrue;
  if (item.type == JsonType::kExtension) type = WordType::kExtension;
  std::string cell;
  AppendWord(HeaderOf(Kind::kScalar, 0), &cell);
  AppendWord(WordOf(type, static_cast<uint32_t>(item.bytes.size())), &cell);
  cell += item.bytes;
  return cell;
}

std::string CellText(std::string_view cell) {
  if (cell.empty()) return "null";
  if (const auto item = ReadJsonb(cell)) {
    // Damaged strings are no text.
    if (auto text = JsonText(*item); text && IsUtf8(*text)) return *std::move(text);
  }
  return WithoutInvalidUtf8(cell);
}

}  // namespace lance::query
