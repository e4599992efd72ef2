#include "query/expr/literal.h"

#include <charconv>
#include <limits>
#include <string>

#include "arrow/array.h"
#include "arrow/buffer.h"
#include "arrow/type.h"

namespace lance::query {
namespace {

template <typename T>
LiteralValue OneValue(const std::shared_ptr<arrow::DataType>& type, T value) {
  auto buffer =
      arrow::Buffer::FromString(std::string(reinterpret_cast<const char*>(&value), sizeof(T)));
  return arrow::MakeArray(arrow::ArrayData::Make(type, 1, {nullptr, std::move(buffer)}, 0));
}

LiteralValue OneText(const std::shared_ptr<arrow::DataType>& type, std::string text) {
  const int32_t offsets[] = {0, static_cast<int32_t>(text.size())};
  auto offset_buffer = arrow::Buffer::FromString(
      std::string(reinterpret_cast<const char*>(offsets), sizeof(offsets)));
  return arrow::MakeArray(arrow::ArrayData::Make(
      type, 1, {nullptr, std::move(offset_buffer), arrow::Buffer::FromString(std::move(text))}, 0));
}

/// What a number is that no double can hold.
double OutOfRange(std::string_view text) {
  size_t exponent = text.find_first_of("eE");
  bool is_tiny =
      exponent != std::string_view::npos
          ? text.substr(exponent + 1).starts_with('-')
          : text.substr(0, text.find('.')).find_first_not_of('0') == std::string_view::npos;
  return is_tiny ? 0 : std::numeric_limits<double>::infinity();
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

template <typename T>
bool Parse(std::string_view text, T* value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<LiteralValue> NumberLiteral(std::string_view text) {
  if (int64_t integer = 0; Parse(text, &integer)) return OneValue(arrow::int64(), integer);
  if (uint64_t integer = 0; Parse(text, &integer)) return OneValue(arrow::uint64(), integer);
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size()) return UserError("'", text, "' is not a number");
  if (error == std::errc::result_out_of_range) number = OutOfRange(text);
  return OneValue(arrow::float64(), number);
}

LiteralValue StringLiteral(std::string_view text) {
  return OneText(arrow::utf8(), std::string(text));
}

LiteralValue LargeBinaryLiteral(std::string_view bytes) {
  const int64_t offsets[] = {0, static_cast<int64_t>(bytes.size())};
  auto offset_buffer = arrow::Buffer::FromString(
      std::string(reinterpret_cast<const char*>(offsets), sizeof(offsets)));
  return arrow::MakeArray(arrow::ArrayData::Make(
      arrow::large_binary(), 1,
      {nullptr, std::move(offset_buffer), arrow::Buffer::FromString(std::string(bytes))}, 0));
}

LiteralValue HexLiteral(std::string_view digits) {
  if (digits.size() % 2 != 0) return nullptr;
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (size_t i = 0; i < digits.size(); i += 2) {
    int high = HexDigit(digits[i]);
    int low = HexDigit(digits[i + 1]);
    if (high < 0 || low < 0) return nullptr;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return OneText(arrow::binary(), std::move(bytes));
}

LiteralValue BooleanLiteral(bool value) {
  return OneValue(arrow::boolean(), static_cast<uint8_t>(value ? 1 : 0));
}

LiteralValue Int64Literal(int64_t value) { return OneValue(arrow::int64(), value); }

LiteralValue NullLiteral() { return std::make_shared<arrow::NullArray>(1); }

LiteralValue FixedWidthLiteral(const std::shared_ptr<arrow::DataType>& type, int64_t value) {
  return OneValue(type, value);
}

}  // namespace lance::query
