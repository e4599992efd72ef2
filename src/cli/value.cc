#include "cli/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "arrow/array.h"
#include "arrow/extension_type.h"
#include "arrow/scalar.h"
#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "arrow/util/base64.h"
#include "arrow/util/float16.h"

namespace lance::cli {
namespace {

using Json = nlohmann::ordered_json;

template <typename ArrayType>
const ArrayType& As(const arrow::Array& array) {
  return static_cast<const ArrayType&>(array);
}

// JSON writes a double with the digits that it needs; a float must not get those of a double.
Json FloatToJson(float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char text[64];
  auto written = std::to_chars(text, text + sizeof(text), value);
  double shortest = 0;
  std::from_chars(text, written.ptr, shortest);
  return shortest;
}

Json DoubleToJson(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

std::string ScalarText(const arrow::Array& array, int64_t row) {
  auto scalar = array.GetScalar(row);
  return scalar.ok() ? (*scalar)->ToString() : "?";
}

// `2020-01-01 00:00:00.5Z` → `2020-01-01T00:00:00.5Z`
std::string IsoText(const arrow::Array& array, int64_t row) {
  std::string text = ScalarText(array, row);
  std::replace(text.begin(), text.end(), ' ', 'T');
  return text;
}

Json ListToJson(const arrow::Array& values, int64_t start, int64_t count) {
  Json out = Json::array();
  for (int64_t i = 0; i < count; ++i) out.push_back(ValueToJson(values, start + i));
  return out;
}

template <typename ListArrayType>
Json ListToJson(const ListArrayType& array, int64_t row) {
  return ListToJson(*array.values(), array.value_offset(row), array.value_length(row));
}

Json MapToJson(const arrow::MapArray& array, int64_t row) {
  Json out = Json::array();
  int64_t start = array.value_offset(row);
  for (int64_t i = start; i < start + array.value_length(row); ++i) {
    out.push_back(
        {{"key", ValueToJson(*array.keys(), i)}, {"value", ValueToJson(*array.items(), i)}});
  }
  return out;
}

Json StructToJson(const arrow::StructArray& array, int64_t row) {
  Json out = Json::object();
  for (int i = 0; i < array.num_fields(); ++i) {
    out[array.struct_type()->field(i)->name()] = ValueToJson(*array.field(i), row);
  }
  return out;
}

// The bytes of the binary types; false for others.
bool BytesOf(const arrow::Array& array, int64_t row, std::string_view* bytes) {
  switch (array.type_id()) {
    case arrow::Type::BINARY:
    case arrow::Type::STRING:
      *bytes = As<arrow::BinaryArray>(array).GetView(row);
      return true;
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::LARGE_STRING:
      *bytes = As<arrow::LargeBinaryArray>(array).GetView(row);
      return true;
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::STRING_VIEW:
      *bytes = As<arrow::BinaryViewArray>(array).GetView(row);
      return true;
    case arrow::Type::FIXED_SIZE_BINARY:
      *bytes = As<arrow::FixedSizeBinaryArray>(array).GetView(row);
      return true;
    default:
      return false;
  }
}

bool IsText(const arrow::DataType& type) {
  return arrow::is_string(type.id()) || type.id() == arrow::Type::STRING_VIEW;
}

bool IsNested(const arrow::Array& array) { return arrow::is_nested(array.type_id()); }

std::string Hexadecimal(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  // A cell shows no more than this.
  constexpr size_t kShown = 64;
  std::string text = "0x";
  for (uint8_t byte : bytes.substr(0, kShown)) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return bytes.size() > kShown ? text + "…" : text;
}

}  // namespace

Json ValueToJson(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return nullptr;
  std::string_view bytes;
  if (BytesOf(array, row, &bytes)) {
    return IsText(*array.type()) ? std::string(bytes) : arrow::util::base64_encode(bytes);
  }
  switch (array.type_id()) {
    case arrow::Type::NA:
      return nullptr;
    case arrow::Type::BOOL:
      return As<arrow::BooleanArray>(array).Value(row);
    case arrow::Type::INT8:
      return As<arrow::Int8Array>(array).Value(row);
    case arrow::Type::INT16:
      return As<arrow::Int16Array>(array).Value(row);
    case arrow::Type::INT32:
      return As<arrow::Int32Array>(array).Value(row);
    case arrow::Type::INT64:
      return As<arrow::Int64Array>(array).Value(row);
    case arrow::Type::UINT8:
      return As<arrow::UInt8Array>(array).Value(row);
    case arrow::Type::UINT16:
      return As<arrow::UInt16Array>(array).Value(row);
    case arrow::Type::UINT32:
      return As<arrow::UInt32Array>(array).Value(row);
    case arrow::Type::UINT64:
      return As<arrow::UInt64Array>(array).Value(row);
    case arrow::Type::HALF_FLOAT:
      return FloatToJson(
          arrow::util::Float16::FromBits(As<arrow::HalfFloatArray>(array).Value(row)).ToFloat());
    case arrow::Type::FLOAT:
      return FloatToJson(As<arrow::FloatArray>(array).Value(row));
    case arrow::Type::DOUBLE:
      return DoubleToJson(As<arrow::DoubleArray>(array).Value(row));
    case arrow::Type::DURATION:
      return As<arrow::DurationArray>(array).Value(row);
    case arrow::Type::TIMESTAMP:
      return IsoText(array, row);
    case arrow::Type::LIST:
      return ListToJson(As<arrow::ListArray>(array), row);
    case arrow::Type::LARGE_LIST:
      return ListToJson(As<arrow::LargeListArray>(array), row);
    case arrow::Type::FIXED_SIZE_LIST:
      return ListToJson(As<arrow::FixedSizeListArray>(array), row);
    case arrow::Type::MAP:
      return MapToJson(As<arrow::MapArray>(array), row);
    case arrow::Type::STRUCT:
      return StructToJson(As<arrow::StructArray>(array), row);
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = As<arrow::DictionaryArray>(array);
      return ValueToJson(*dictionary.dictionary(), dictionary.GetValueIndex(row));
    }
    case arrow::Type::EXTENSION:
      return ValueToJson(*As<arrow::ExtensionArray>(array).storage(), row);
    default:
      return ScalarText(array, row);
  }
}

std::string ValueToText(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return "null";
  std::string_view bytes;
  if (BytesOf(array, row, &bytes)) {
    return IsText(*array.type()) ? std::string(bytes) : Hexadecimal(bytes);
  }
  if (array.type_id() == arrow::Type::EXTENSION) {
    return ValueToText(*As<arrow::ExtensionArray>(array).storage(), row);
  }
  if (array.type_id() == arrow::Type::DICTIONARY) {
    const auto& dictionary = As<arrow::DictionaryArray>(array);
    return ValueToText(*dictionary.dictionary(), dictionary.GetValueIndex(row));
  }
  if (array.type_id() == arrow::Type::TIMESTAMP) return ScalarText(array, row);
  Json value = ValueToJson(array, row);
  if (value.is_string() && !IsNested(array)) return value.get<std::string>();
  return ToLine(value);
}

bool IsNumber(const arrow::DataType& type) {
  return arrow::is_numeric(type.id()) || arrow::is_decimal(type.id()) ||
         type.id() == arrow::Type::DURATION;
}

std::string ToLine(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ToDocument(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json ColumnsToJson(const arrow::Schema& schema) {
  Json out = Json::array();
  for (const auto& field : schema.fields()) {
    out.push_back({{"name", field->name()},
                   {"type", field->type()->ToString()},
                   {"nullable", field->nullable()}});
  }
  return out;
}

}  // namespace lance::cli
