#include "schema/logical_type.h"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "arrow/extension_type.h"
#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "arrow/util/int_util_overflow.h"
#include "arrow/util/key_value_metadata.h"
#include "schema/metadata.h"
#include "schema/schema.h"

namespace lance {
namespace {

constexpr std::string_view kFixedSizeListPrefix = "fixed_size_list:";
constexpr std::string_view kStructListPrefix = "fixed_size_list:struct:";
constexpr std::string_view kFixedSizeBinaryPrefix = "fixed_size_binary:";
constexpr std::string_view kTimestampPrefix = "timestamp:";
constexpr std::string_view kDecimalPrefix = "decimal:";
constexpr std::string_view kDictionaryPrefix = "dict:";
// Nested fixed-size lists, so that a long string can't exhaust the stack.
constexpr int32_t kMaxNestedDimensions = 32;

using TypePointer = std::shared_ptr<arrow::DataType>;

struct NamedType {
  std::string_view name;
  TypePointer type;
};

// Types whose string has no parameters. A string that stands twice is parsed as the first one.
const std::vector<NamedType>& NamedTypes() {
  using arrow::TimeUnit;
  static const auto* const types = new std::vector<NamedType>{
      {"null", arrow::null()},
      {"bool", arrow::boolean()},
      {"int8", arrow::int8()},
      {"int16", arrow::int16()},
      {"int32", arrow::int32()},
      {"int64", arrow::int64()},
      {"uint8", arrow::uint8()},
      {"uint16", arrow::uint16()},
      {"uint32", arrow::uint32()},
      {"uint64", arrow::uint64()},
      {"halffloat", arrow::float16()},
      {"float", arrow::float32()},
      {"double", arrow::float64()},
      {"string", arrow::utf8()},
      {"string", arrow::utf8_view()},
      {"large_string", arrow::large_utf8()},
      {"binary", arrow::binary()},
      {"binary", arrow::binary_view()},
      {"large_binary", arrow::large_binary()},
      {"date32:day", arrow::date32()},
      {"date64:ms", arrow::date64()},
      {"time32:s", arrow::time32(TimeUnit::SECOND)},
      {"time32:ms", arrow::time32(TimeUnit::MILLI)},
      {"time64:us", arrow::time64(TimeUnit::MICRO)},
      {"time64:ns", arrow::time64(TimeUnit::NANO)},
      {"duration:s", arrow::duration(TimeUnit::SECOND)},
      {"duration:ms", arrow::duration(TimeUnit::MILLI)},
      {"duration:us", arrow::duration(TimeUnit::MICRO)},
      {"duration:ns", arrow::duration(TimeUnit::NANO)},
  };
  return *types;
}

struct NamedUnit {
  std::string_view name;
  arrow::TimeUnit::type unit;
};
constexpr std::array<NamedUnit, 4> kUnits = {{{"s", arrow::TimeUnit::SECOND},
                                              {"ms", arrow::TimeUnit::MILLI},
                                              {"us", arrow::TimeUnit::MICRO},
                                              {"ns", arrow::TimeUnit::NANO}}};

Status Malformed(std::string_view logical_type, std::string_view why) {
  return Corrupt("malformed logical type: '", logical_type, "' (", why, ")");
}

std::optional<int32_t> ParseInt32(std::string_view text) {
  int32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

Result<TypePointer> ParseFixedSizeBinary(std::string_view text) {
  std::optional<int32_t> width = ParseInt32(text.substr(kFixedSizeBinaryPrefix.size()));
  if (!width || *width < 0) return Malformed(text, "the width is not a number ≥ 0");
  return arrow::fixed_size_binary(*width);
}

// timestamp:{unit}:{zone}, where the zone may contain ':' and '-' means none.
Result<TypePointer> ParseTimestamp(std::string_view text) {
  std::string_view rest = text.substr(kTimestampPrefix.size());
  size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return Malformed(text, "the time zone is missing");
  for (const NamedUnit& unit : kUnits) {
    if (unit.name != rest.substr(0, colon)) continue;
    std::string zone(rest.substr(colon + 1));
    return zone == "-" ? arrow::timestamp(unit.unit) : arrow::timestamp(unit.unit, zone);
  }
  return Malformed(text, "the unit is not one of s, ms, us, ns");
}

// decimal:{bits}:{precision}:{scale}
Result<TypePointer> ParseDecimal(std::string_view text) {
  std::vector<std::string_view> parts = Split(text.substr(kDecimalPrefix.size()));
  if (parts.size() != 3) return Malformed(text, "bits, precision and scale expected");
  std::optional<int32_t> precision = ParseInt32(parts[1]);
  std::optional<int32_t> scale = ParseInt32(parts[2]);
  if (!precision || !scale) return Malformed(text, "precision or scale is not a number");
  // The format holds the scale in eight bits.
  if (*scale < std::numeric_limits<int8_t>::min() || *scale > std::numeric_limits<int8_t>::max()) {
    return Malformed(text, "scale is out of range");
  }
  Result<TypePointer> type = Malformed(text, "only 128 and 256 bits are known");
  if (parts[0] == "128") type = arrow::Decimal128Type::Make(*precision, *scale);
  if (parts[0] == "256") type = arrow::Decimal256Type::Make(*precision, *scale);
  if (!type.ok()) return Malformed(text, type.status().message());
  return type;
}

// dict:{value}:{key}:{ordered}; the value type has no ':'.
Result<TypePointer> ParseDictionary(std::string_view text) {
  std::vector<std::string_view> parts = Split(text.substr(kDictionaryPrefix.size()));
  if (parts.size() != 3) return Malformed(text, "value type, key type and order expected");
  ARROW_ASSIGN_OR_RAISE(TypePointer value, ParseLeafLogicalType(parts[0]));
  ARROW_ASSIGN_OR_RAISE(TypePointer key, ParseLeafLogicalType(parts[1]));
  if (!arrow::is_integer(key->id())) return Malformed(text, "the key type is no integer");
  return arrow::dictionary(key, value, parts[2] == "true");
}

// fixed_size_list:{item}:{dimension}, where the item may be a fixed-size list again: the last
// number belongs to the outermost list.
Result<TypePointer> ParseFixedSizeList(std::string_view text) {
  std::string_view item_text = text;
  std::vector<int32_t> dimensions;
  int32_t values = 1;
  while (item_text.starts_with(kFixedSizeListPrefix)) {
    size_t colon = item_text.rfind(':');
    if (colon < kFixedSizeListPrefix.size()) return Malformed(text, "the dimension is missing");
    std::optional<int32_t> dimension = ParseInt32(item_text.substr(colon + 1));
    if (!dimension) return Malformed(text, "the dimension is not a number");
    ARROW_RETURN_NOT_OK(CheckDimension(*dimension));
    if (dimensions.size() == kMaxNestedDimensions) return Malformed(text, "nested too deeply");
    dimensions.push_back(*dimension);
    if (arrow::internal::MultiplyWithOverflow(values, *dimension, &values)) {
      return Malformed(text, "more values in a row than a batch can hold");
    }
    item_text = item_text.substr(kFixedSizeListPrefix.size(), colon - kFixedSizeListPrefix.size());
  }
  std::shared_ptr<arrow::Field> item;
  if (item_text == kBFloat16Name) {
    item = arrow::field(
        "item", arrow::fixed_size_binary(2), true,
        arrow::key_value_metadata({{std::string(kExtensionNameKey), std::string(kBFloat16Name)},
                                   {std::string(kExtensionMetadataKey), ""}}));
  } else {
    ARROW_ASSIGN_OR_RAISE(TypePointer item_type, ParseLeafLogicalType(item_text));
    item = arrow::field("item", std::move(item_type));
  }
  TypePointer type;
  for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension) {
    type = arrow::fixed_size_list(item, *dimension);
    item = arrow::field("item", type);
  }
  return type;
}

Status Refuse(const arrow::DataType& type, std::string_view advice = {}) {
  return Unsupported("Unsupported data type: ", type.ToString(), advice);
}

Result<std::string> FixedSizeListName(const arrow::FixedSizeListType& type) {
  ARROW_RETURN_NOT_OK(CheckDimension(type.list_size()));
  std::string suffix = ":" + std::to_string(type.list_size());
  const arrow::Field& item = *type.value_field();
  TypePointer storage = StorageType(item.type());
  bool is_bfloat16 =
      ExtensionNameOf(item) == kBFloat16Name && storage->Equals(*arrow::fixed_size_binary(2));
  if (is_bfloat16) return internal::Concat(kFixedSizeListPrefix, kBFloat16Name, suffix);
  switch (storage->id()) {
    case arrow::Type::STRUCT:
      return internal::Concat(kFixedSizeListPrefix, "struct", suffix);
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::MAP:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::DICTIONARY:
      return Refuse(type, "; use a list instead of the fixed-size list");
    default:
      break;
  }
  ARROW_ASSIGN_OR_RAISE(std::string item_name, LogicalTypeOf(*storage));
  if (KindOfLogicalType(item_name) != FieldKind::kLeaf) return Refuse(type);
  return internal::Concat(kFixedSizeListPrefix, item_name, suffix);
}

Result<std::string> DictionaryName(const arrow::DictionaryType& type) {
  ARROW_ASSIGN_OR_RAISE(std::string value, LogicalTypeOf(*type.value_type()));
  ARROW_ASSIGN_OR_RAISE(std::string key, LogicalTypeOf(*type.index_type()));
  bool parses = value.find(':') == std::string::npos &&
                KindOfLogicalType(value) == FieldKind::kLeaf && value != "json";
  if (!parses) return Refuse(type, "; cast the column to its value type");
  return internal::Concat(kDictionaryPrefix, value, ":", key, ":false");
}

std::string ListName(std::string_view name, const arrow::DataType& item) {
  bool of_struct = StorageType(item.GetSharedPtr())->id() == arrow::Type::STRUCT;
  return internal::Concat(name, of_struct ? ".struct" : "");
}

std::string DecimalName(const arrow::DecimalType& type, int32_t bits) {
  return internal::Concat(kDecimalPrefix, bits, ":", type.precision(), ":", type.scale());
}

std::string TimestampName(const arrow::TimestampType& type) {
  std::string_view unit;
  for (const NamedUnit& known : kUnits) {
    if (known.unit == type.unit()) unit = known.name;
  }
  return internal::Concat(kTimestampPrefix, unit, ":",
                          type.timezone().empty() ? "-" : type.timezone());
}

}  // namespace

FieldKind KindOfLogicalType(std::string_view logical_type) {
  if (logical_type == "struct") return FieldKind::kStruct;
  if (logical_type == "list" || logical_type == "list.struct") return FieldKind::kList;
  if (logical_type == "large_list" || logical_type == "large_list.struct") {
    return FieldKind::kLargeList;
  }
  if (logical_type == "map") return FieldKind::kMap;
  if (logical_type.starts_with(kStructListPrefix)) return FieldKind::kFixedSizeListOfStruct;
  return FieldKind::kLeaf;
}

Result<int32_t> ParseStructListDimension(std::string_view logical_type) {
  std::optional<int32_t> dimension = ParseInt32(logical_type.substr(kStructListPrefix.size()));
  if (!dimension) return Malformed(logical_type, "the dimension is not a number");
  ARROW_RETURN_NOT_OK(CheckDimension(*dimension));
  return *dimension;
}

std::shared_ptr<arrow::DataType> StorageType(std::shared_ptr<arrow::DataType> type) {
  while (type->id() == arrow::Type::EXTENSION) {
    type = static_cast<const arrow::ExtensionType&>(*type).storage_type();
  }
  return type;
}

std::string ExtensionNameOf(const arrow::Field& field) {
  if (field.type()->id() == arrow::Type::EXTENSION) {
    return static_cast<const arrow::ExtensionType&>(*field.type()).extension_name();
  }
  return std::string(FindMetadata(field.metadata().get(), kExtensionNameKey).value_or(""));
}

bool IsStoredAsJson(std::string_view extension_name, const arrow::DataType& storage) {
  if (extension_name == kArrowJsonName) {
    return storage.id() == arrow::Type::STRING || storage.id() == arrow::Type::LARGE_STRING ||
           storage.id() == arrow::Type::STRING_VIEW;
  }
  return extension_name == kLanceJsonName && storage.id() == arrow::Type::LARGE_BINARY;
}

Status CheckDimension(int32_t dimension) {
  if (dimension >= 1) return Status::OK();
  return UserError("dimension of a fixed-size list must be at least 1: ", dimension, " given");
}

Result<std::string> LogicalTypeOf(const arrow::DataType& type) {
  for (const NamedType& named : NamedTypes()) {
    if (named.type->Equals(type)) return std::string(named.name);
  }
  switch (type.id()) {
    case arrow::Type::EXTENSION: {
      const auto& extension = static_cast<const arrow::ExtensionType&>(type);
      TypePointer storage = StorageType(extension.storage_type());
      if (IsStoredAsJson(extension.extension_name(), *storage)) return std::string("json");
      return LogicalTypeOf(*storage);
    }
    case arrow::Type::TIMESTAMP:
      return TimestampName(static_cast<const arrow::TimestampType&>(type));
    case arrow::Type::DECIMAL128:
      return DecimalName(static_cast<const arrow::DecimalType&>(type), 128);
    case arrow::Type::DECIMAL256:
      return DecimalName(static_cast<const arrow::DecimalType&>(type), 256);
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
      return Refuse(type, "; cast to decimal128");
    case arrow::Type::FIXED_SIZE_BINARY:
      return internal::Concat(kFixedSizeBinaryPrefix,
                              static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width());
    case arrow::Type::DICTIONARY:
      return DictionaryName(static_cast<const arrow::DictionaryType&>(type));
    case arrow::Type::STRUCT:
      return std::string("struct");
    case arrow::Type::LIST:
      return ListName("list", *type.field(0)->type());
    case arrow::Type::LARGE_LIST:
      return ListName("large_list", *type.field(0)->type());
    case arrow::Type::FIXED_SIZE_LIST:
      return FixedSizeListName(static_cast<const arrow::FixedSizeListType&>(type));
    case arrow::Type::MAP:
      if (static_cast<const arrow::MapType&>(type).keys_sorted()) {
        return Refuse(type, "; maps with sorted keys can't be stored");
      }
      return std::string("map");
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW:
      return Refuse(type, "; cast to list");
    default:
      return Refuse(type);
  }
}

Result<std::shared_ptr<arrow::DataType>> ParseLeafLogicalType(std::string_view logical_type) {
  for (const NamedType& named : NamedTypes()) {
    if (named.name == logical_type) return named.type;
  }
  // Binary JSON, and blobs as old versions called them.
  if (logical_type == "json" || logical_type == "blob") return arrow::large_binary();
  if (logical_type.starts_with(kFixedSizeListPrefix)) return ParseFixedSizeList(logical_type);
  if (logical_type.starts_with(kFixedSizeBinaryPrefix)) return ParseFixedSizeBinary(logical_type);
  if (logical_type.starts_with(kTimestampPrefix)) return ParseTimestamp(logical_type);
  if (logical_type.starts_with(kDecimalPrefix)) return ParseDecimal(logical_type);
  if (logical_type.starts_with(kDictionaryPrefix)) return ParseDictionary(logical_type);
  return Unsupported("logical type is not known: '", logical_type, "'");
}

}  // namespace lance
