#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lance::query {

/// Reading of JSONB, the form of lance.json cells (spec/jsonb.md). All integers are big-endian.
///
///     value  = header(u32) words(u32 · W) payloads
///     header = kind(3 bits: 1 scalar, 2 object, 4 array) | count(29 bits)
///     word   = 0(1) | type(3) | length(28), one for each payload; objects have those of all keys
///     first
///
/// Views into bytes that the caller keeps. Everything is checked against the bytes that are there.
enum class JsonType : uint8_t {
  kNull,
  kString,
  kNumber,
  kFalse,
  kTrue,
  kArray,
  kObject,
  kExtension,  ///< of other writers: bytes, a time …; shows as a string
};

using JsonNumber = std::variant<int64_t, uint64_t, double>;

struct JsonItem {
  JsonType type = JsonType::kNull;
  /// Of strings the text, of numbers and extensions the tagged bytes, of arrays and objects the
  /// whole value.
  std::string_view bytes;

  bool is_container() const { return type == JsonType::kArray || type == JsonType::kObject; }
  bool is_boolean() const { return type == JsonType::kFalse || type == JsonType::kTrue; }
  /// nullopt if the bytes are no number. Decimals are the nearest double.
  std::optional<JsonNumber> number() const;
  double number_as_double() const;
};

struct JsonMember {
  std::string_view key;
  JsonItem value;
};

/// The value of a cell; nullopt if the bytes are not JSONB.
std::optional<JsonItem> ReadJsonb(std::string_view cell);
/// The elements of an array, or the members of an object; nullopt if they are damaged.
std::optional<std::vector<JsonItem>> ItemsOf(const JsonItem& array);
std::optional<std::vector<JsonMember>> MembersOf(const JsonItem& object);
/// The first member with exactly this key.
std::optional<JsonItem> FindMember(const JsonItem& object, std::string_view key);

/// Compact JSON text; nullopt if the value is damaged or nested too deep.
std::optional<std::string> JsonText(const JsonItem& item);
/// What a cell of a JSON column shows as. Cells that are no JSONB hold text (older writers stored
/// it); those without bytes are null.
std::string CellText(std::string_view cell);
std::string JsonNumberText(const JsonNumber& number);
double AsDouble(const JsonNumber& number);

/// The tagged bytes of a number.
std::string EncodeNumber(const JsonNumber& number);
/// JSONB of a single value: a cell of its own.
std::string EncodeCell(const JsonItem& item);

}  // namespace lance::query
