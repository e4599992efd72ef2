#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "arrow/type_fwd.h"

namespace lance::cli {

/// One value of an array as JSON:
///
/// | type | JSON |
/// |---|---|
/// | integers, bool | number, true / false |
/// | floats | number; NaN and infinities as the strings `NaN`, `Infinity`, `-Infinity` |
/// | decimal | string, all digits |
/// | string / binary, fixed-size binary | string / base64 string |
/// | date, time, timestamp | ISO 8601 string, `Z` when the type has a zone (the value is in UTC) |
/// | duration | number, in the type's unit |
/// | list, fixed-size list | array |
/// | struct | object |
/// | map | array of {"key", "value"} |
/// | dictionary | the value; extension types: their storage |
/// | null | null |
nlohmann::ordered_json ValueToJson(const arrow::Array& array, int64_t row);

/// The same for people: text without quotes, binary in hexadecimal, nested values as JSON.
std::string ValueToText(const arrow::Array& array, int64_t row);

/// Whether cells of the type are aligned to the right.
bool IsNumber(const arrow::DataType& type);

/// JSON as one line; bytes that are no UTF-8 become U+FFFD.
std::string ToLine(const nlohmann::ordered_json& value);
/// Indented, with a line end.
std::string ToDocument(const nlohmann::ordered_json& value);

/// {"name", "type", "nullable"} of each field.
nlohmann::ordered_json ColumnsToJson(const arrow::Schema& schema);

}  // namespace lance::cli
