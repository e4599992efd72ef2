#include "schema/semantic_type.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "arrow/type.h"
#include "schema/blob.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"

namespace lance {
namespace {

using arrow::Type;

constexpr int32_t kMaxDecimal128Precision = 38;
constexpr std::string_view kDecimalPrefix = "decimal:";
constexpr std::string_view kDictionaryPrefix = "dict:";
constexpr std::string_view kDictionaryEncoding = "dictionary";
constexpr std::string_view kUnordered = "false";

// The layouts of the semantic types that have several: what is accepted as input, what data files
// may hold, and what reads can show are all rows of this table, defaults first. Dictionaries of
// strings and binary values are a row for each key and value: dictionary:<key>:<value>.
struct Layout {
  SemanticKind kind;
  std::string_view encoding;  ///< as an output encoding
  Type::type input;           ///< as input in Arrow
  /// In data files. Of a layout that they can't hold, one that holds every value of it.
  std::string_view stored;
  bool is_view = false;
};
constexpr std::array<Layout, 12> kLayouts = {{
    {SemanticKind::kString, "utf8", Type::STRING, "string"},
    {SemanticKind::kString, "large_utf8", Type::LARGE_STRING, "large_string"},
    {SemanticKind::kString, "utf8_view", Type::STRING_VIEW, "large_string", true},
    {SemanticKind::kBinary, "binary", Type::BINARY, "binary"},
    {SemanticKind::kBinary, "large_binary", Type::LARGE_BINARY, "large_binary"},
    {SemanticKind::kBinary, "binary_view", Type::BINARY_VIEW, "large_binary", true},
    {SemanticKind::kList, "list", Type::LIST, "list"},
    {SemanticKind::kList, "large_list", Type::LARGE_LIST, "large_list"},
    {SemanticKind::kDecimal, "decimal128", Type::DECIMAL128, "decimal:128"},
    {SemanticKind::kDecimal, "decimal256", Type::DECIMAL256, "decimal:256"},
    // Values are transformed: text comes and goes, JSONB is stored.
    {SemanticKind::kJson, "arrow.json", Type::EXTENSION, "json"},
    {SemanticKind::kJson, "lance.json", Type::LARGE_BINARY, "json"},
}};

constexpr std::array<std::string_view, 8> kKeyTypes = {"int8",  "int16",  "int32",  "int64",
                                                       "uint8", "uint16", "uint32", "uint64"};

struct KindName {
  SemanticKind kind;
  std::string_view name;
};
constexpr std::array<KindName, 4> kKindNames = {{{SemanticKind::kString, "string"},
                                                 {SemanticKind::kBinary, "binary"},
                                                 {SemanticKind::kList, "list"},
                                                 {SemanticKind::kJson, "json"}}};

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

std::optional<int32_t> ParseInt32(std::string_view text) {
  int32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool CanBeInDictionary(const Layout& layout) {
  return (layout.kind == SemanticKind::kString || layout.kind == SemanticKind::kBinary) &&
         !layout.is_view;
}

/// The row of a name in data files; null if there is none.
const Layout* LayoutStoredAs(std::string_view stored) {
  for (const Layout& layout : kLayouts) {
    if (layout.stored == stored && !layout.is_view) return &layout;
  }
  return nullptr;
}

const Layout* LayoutEncodedAs(SemanticKind kind, std::string_view encoding) {
  for (const Layout& layout : kLayouts) {
    if (layout.kind == kind && layout.encoding == encoding) return &layout;
  }
  return nullptr;
}

SemanticType MakeType(SemanticKind kind) {
  for (const KindName& named : kKindNames) {
    if (named.kind == kind) return {kind, std::string(named.name)};
  }
  return {kind, ""};
}

std::string DecimalLayout(const Layout& row, const SemanticType& type) {
  return internal::Concat(row.stored, ":", type.precision, ":", type.scale);
}

Status NoSemanticType(std::string_view logical_type, std::string_view why) {
  return Unsupported("layout belongs to no semantic type: '", logical_type, "' (", why, ")");
}

// decimal:{precision}:{scale}, or decimal:{bits}:{precision}:{scale}
Result<SemanticType> ParseDecimal(std::string_view text) {
  std::vector<std::string_view> parts = Split(text.substr(kDecimalPrefix.size()));
  if (parts.size() != 2 && parts.size() != 3) {
    return Corrupt("malformed logical type: '", text, "' (precision and scale expected)");
  }
  std::optional<int32_t> precision = ParseInt32(parts[parts.size() - 2]);
  std::optional<int32_t> scale = ParseInt32(parts.back());
  if (!precision || !scale) {
    return Corrupt("malformed logical type: '", text, "' (precision or scale is not a number)");
  }
  SemanticType type{SemanticKind::kDecimal,
                    internal::Concat(kDecimalPrefix, *precision, ":", *scale), *precision, *scale};
  // Checks the numbers.
  const std::string layout =
      parts.size() == 3 ? std::string(text)
                        : internal::Concat(kDecimalPrefix, "256:", *precision, ":", *scale);
  ARROW_RETURN_NOT_OK(ParseLeafLogicalType(layout).status());
  return type;
}

// dict:{value}:{key}:{ordered}
Result<SemanticType> ParseDictionary(std::string_view text) {
  ARROW_RETURN_NOT_OK(ParseLeafLogicalType(text).status());
  std::vector<std::string_view> parts = Split(text.substr(kDictionaryPrefix.size()));
  const Layout* value = LayoutStoredAs(parts[0]);
  if (value == nullptr || !CanBeInDictionary(*value)) {
    return NoSemanticType(text, "only strings and binary values are shown as dictionaries");
  }
  if (parts[2] != kUnordered) return NoSemanticType(text, "the order of a dictionary");
  return MakeType(value->kind);
}

Result<OutputEncoding> FindDictionary(const SemanticType& type, std::string_view name) {
  std::vector<std::string_view> parts = Split(name);
  const bool is_dictionary =
      parts.size() == 3 && parts[0] == kDictionaryEncoding &&
      std::find(kKeyTypes.begin(), kKeyTypes.end(), parts[1]) != kKeyTypes.end();
  const Layout* value = is_dictionary ? LayoutEncodedAs(type.kind, parts[2]) : nullptr;
  if (value == nullptr || !CanBeInDictionary(*value)) {
    return UserError("output encoding '", name, "' is none of ", type.name, "; it has ",
                     OutputEncodingNames(type));
  }
  return OutputEncoding{std::string(name), internal::Concat(kDictionaryPrefix, value->stored, ":",
                                                            parts[1], ":", kUnordered)};
}

bool Holds(const Layout& layout, const SemanticType& type) {
  return layout.input != Type::DECIMAL128 || type.precision <= kMaxDecimal128Precision;
}

OutputEncoding MakeEncoding(const Layout& layout, const SemanticType& type) {
  const bool is_decimal = layout.kind == SemanticKind::kDecimal;
  return {std::string(layout.encoding),
          is_decimal ? DecimalLayout(layout, type) : std::string(layout.stored), layout.is_view};
}

/// Of a list without its suffix.
std::string_view WithoutItems(std::string_view logical_type) {
  switch (KindOfLogicalType(logical_type)) {
    case FieldKind::kList:
      return "list";
    case FieldKind::kLargeList:
      return "large_list";
    default:
      return logical_type;
  }
}

}  // namespace

SemanticClass SemanticType::type_class() const {
  switch (kind) {
    case SemanticKind::kOther:
      return SemanticClass::kUnchanged;
    case SemanticKind::kJson:
    case SemanticKind::kBlob:
      return SemanticClass::kValueTransforming;
    default:
      return SemanticClass::kRepresentationOnly;
  }
}

bool SemanticType::has_output_encodings() const {
  return type_class() != SemanticClass::kUnchanged && kind != SemanticKind::kBlob;
}

bool SemanticType::Accepts(const arrow::DataType& input) const {
  const auto* items = &input;
  if (input.id() == Type::DICTIONARY) {
    items = static_cast<const arrow::DictionaryType&>(input).value_type().get();
    if (kind != SemanticKind::kString && kind != SemanticKind::kBinary) return false;
  }
  if (kind == SemanticKind::kDecimal &&
      (input.id() == Type::DECIMAL128 || input.id() == Type::DECIMAL256)) {
    const auto& decimal = static_cast<const arrow::DecimalType&>(input);
    return decimal.precision() == precision && decimal.scale() == scale;
  }
  return std::any_of(kLayouts.begin(), kLayouts.end(), [&](const Layout& layout) {
    return layout.kind == kind && layout.input == items->id() && kind != SemanticKind::kDecimal;
  });
}

std::string SemanticType::ParameterText() const {
  if (kind == SemanticKind::kDecimal) {
    return internal::Concat("precision=", precision, ", scale=", scale);
  }
  const size_t colon = name.find(':');
  return colon == std::string::npos || kind == SemanticKind::kBlob ? "" : name.substr(colon + 1);
}

Result<SemanticType> ParseSemanticType(std::string_view logical_type) {
  logical_type = WithoutItems(logical_type);
  if (logical_type.starts_with(kDecimalPrefix)) return ParseDecimal(logical_type);
  if (logical_type.starts_with(kDictionaryPrefix)) return ParseDictionary(logical_type);
  if (const Layout* layout = LayoutStoredAs(logical_type)) return MakeType(layout->kind);
  if (KindOfLogicalType(logical_type) == FieldKind::kLeaf) {
    ARROW_RETURN_NOT_OK(ParseLeafLogicalType(logical_type).status());
  }
  return SemanticType{SemanticKind::kOther, std::string(logical_type)};
}

Result<SemanticType> SemanticTypeOf(const Field& field) {
  if (IsBlobV1(field) || IsBlobV2(field)) {
    return SemanticType{SemanticKind::kBlob, field.logical_type};
  }
  return ParseSemanticType(field.logical_type);
}

Result<OutputEncoding> FindOutputEncoding(const SemanticType& type, std::string_view name) {
  const Layout* layout = LayoutEncodedAs(type.kind, name);
  if (layout == nullptr) return FindDictionary(type, name);
  if (!Holds(*layout, type)) {
    return UserError("output encoding '", name, "' can't hold ", type.name, "; it has ",
                     OutputEncodingNames(type));
  }
  return MakeEncoding(*layout, type);
}

std::string OutputEncodingNames(const SemanticType& type) {
  std::string names;
  bool in_dictionary = false;
  for (const Layout& layout : kLayouts) {
    if (layout.kind != type.kind || !Holds(layout, type)) continue;
    names += (names.empty() ? "" : ", ") + std::string(layout.encoding);
    in_dictionary = in_dictionary || CanBeInDictionary(layout);
  }
  if (in_dictionary) names += ", dictionary:<key>:<value>";
  return names.empty() ? "none" : names;
}

OutputEncoding DefaultOutputEncoding(const SemanticType& type) {
  for (const Layout& layout : kLayouts) {
    if (layout.kind == type.kind && Holds(layout, type)) return MakeEncoding(layout, type);
  }
  return {};
}

std::optional<OutputEncoding> OutputEncodingOf(const Field& field) {
  auto type = SemanticTypeOf(field);
  if (!type.ok() || !type->has_output_encodings()) return std::nullopt;
  if (auto name = FindMetadata(field.metadata.get(), kOutputEncodingKey)) {
    if (auto known = FindOutputEncoding(*type, *name); known.ok()) return *std::move(known);
  }
  return DefaultOutputEncoding(*type);
}

std::string EncodingOfLayout(std::string_view logical_type) {
  logical_type = WithoutItems(logical_type);
  std::vector<std::string_view> parts = Split(logical_type);
  if (logical_type.starts_with(kDictionaryPrefix) && parts.size() == 4) {
    const Layout* value = LayoutStoredAs(parts[1]);
    if (value == nullptr || !CanBeInDictionary(*value)) return "";
    return internal::Concat(kDictionaryEncoding, ":", parts[2], ":", value->encoding);
  }
  if (logical_type.starts_with(kDecimalPrefix) && parts.size() == 4) {
    logical_type = logical_type.substr(0, kDecimalPrefix.size() + parts[1].size());
  }
  const Layout* layout = LayoutStoredAs(logical_type);
  return layout == nullptr ? "" : std::string(layout->encoding);
}

std::string EncodingOfInput(const arrow::Field& input) {
  auto storage = StorageType(input.type());
  std::string extension = ExtensionNameOf(input);
  if (IsStoredAsJson(extension, *storage)) return extension;
  for (const Layout& layout : kLayouts) {
    if (layout.is_view && layout.input == storage->id()) return std::string(layout.encoding);
  }
  auto layout = LogicalTypeOf(*storage);
  return layout.ok() ? EncodingOfLayout(*layout) : "";
}

std::optional<std::string> WidestEncoding(const Field& field) {
  auto encoding = OutputEncodingOf(field);
  if (!encoding) return std::nullopt;
  std::string widest = encoding->name;
  switch (SemanticTypeOf(field)->kind) {
    case SemanticKind::kString:
      widest = "large_utf8";
      break;
    case SemanticKind::kBinary:
      widest = "large_binary";
      break;
    case SemanticKind::kList:
      widest = "large_list";
      break;
    default:
      break;
  }
  if (widest == encoding->name) return std::nullopt;
  return widest;
}

}  // namespace lance
