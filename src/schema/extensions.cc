#include "schema/extensions.h"

#include <algorithm>
#include <array>

#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "schema/blob.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"
#include "schema/semantic_type.h"

namespace lance {
namespace {

constexpr std::string_view kReservedPrefix = "lance.";

struct ExtensionKeys {
  std::string_view name;
  std::string_view parameters;
};
constexpr std::array<ExtensionKeys, 2> kKeys = {
    {{kExtensionNameKey, kExtensionMetadataKey},
     {kLanceExtensionNameKey, kLanceExtensionMetadataKey}}};

std::string_view NameUnder(std::string_view key, const Field& field) {
  return FindMetadata(field.metadata.get(), key).value_or("");
}

/// Names that other code than the reader of the metadata goes by.
bool SaysHowStored(std::string_view name) {
  return name.starts_with(kReservedPrefix) || name == kArrowJsonName;
}

/// Whether a field is of the type that the extension belongs to.
bool BelongsTo(std::string_view name, const Field& field) {
  if (name == kArrowJsonName || name == kLanceJsonName) return field.logical_type == "json";
  if (name == kBlobV2Name) return IsBlobV2(field);
  if (name == kBFloat16Name) return field.logical_type == "fixed_size_binary:2";
  return !name.starts_with(kReservedPrefix);
}

std::string TypeName(const Field& field) {
  auto type = SemanticTypeOf(field);
  if (!type.ok()) return field.logical_type;
  return type->kind == SemanticKind::kBlob ? "blob" : type->name;
}

Status Reserved(std::string_view name, const Field& field, std::string_view input) {
  return UserError("extension name '", name,
                   "' is reserved: names that start with 'lance.', and arrow.json, say how values "
                   "are stored; a field of the semantic type ",
                   TypeName(field), ", given as ", input,
                   ", can't have it; use a prefix of your own");
}

std::string DifferentName(std::string_view given, const Field& table) {
  std::string text = internal::Concat("extension '", given, "', the table has ");
  for (const ExtensionKeys& keys : kKeys) {
    const std::string_view own = NameUnder(keys.name, table);
    if (!own.empty()) return text + "'" + std::string(own) + "'";
  }
  return text + "none";
}

/// The extension of the items of a fixed-size list, which is one field as a whole; empty if it has
/// none, or one that its logical type names.
std::string LostItemExtension(const arrow::DataType& type) {
  if (type.id() != arrow::Type::FIXED_SIZE_LIST) return "";
  const arrow::Field& item = *type.field(0);
  auto storage = StorageType(item.type());
  if (storage->id() == arrow::Type::STRUCT) return "";
  std::string name = ExtensionNameOf(item);
  const bool is_bfloat16 = name == kBFloat16Name && storage->Equals(*arrow::fixed_size_binary(2));
  return name.empty() || is_bfloat16 ? LostItemExtension(*storage) : name;
}

}  // namespace

std::optional<std::string> WhyNotAccepted(const arrow::Field& input) {
  auto storage = StorageType(input.type());
  const std::string extension = ExtensionNameOf(input);
  if (!IsStoredAsJson(extension, *storage)) {
    if (extension == kArrowJsonName) return "arrow.json is text: utf8, large_utf8 or utf8_view";
    if (extension == kLanceJsonName) return "lance.json is JSONB: large_binary";
  }
  if (std::string lost = LostItemExtension(*storage); !lost.empty()) {
    return "items of a fixed-size list can't keep the extension " + lost;
  }
  if (storage->id() != arrow::Type::DICTIONARY) return std::nullopt;
  const auto& dictionary = static_cast<const arrow::DictionaryType&>(*storage);
  if (dictionary.ordered()) return "the order of a dictionary isn't kept; make it one without";
  const arrow::Type::type values = dictionary.value_type()->id();
  const bool is_view = values == arrow::Type::STRING_VIEW || values == arrow::Type::BINARY_VIEW;
  auto layout = LogicalTypeOf(*storage);
  if (!is_view && layout.ok() && ParseSemanticType(*layout).ok()) return std::nullopt;
  return internal::Concat(
      "only utf8, large_utf8, binary and large_binary come in dictionaries; cast the column to ",
      is_view ? "a dictionary of them" : dictionary.value_type()->ToString());
}

Status CheckExtensions(const Field& field, std::string_view input) {
  const std::string_view name = NameUnder(kExtensionNameKey, field);
  if (!BelongsTo(name, field)) return Reserved(name, field, input);
  const std::string_view aside = NameUnder(kLanceExtensionNameKey, field);
  return SaysHowStored(aside) ? Reserved(aside, field, input) : Status::OK();
}

Status CheckExtensionChange(const Field& before, const Field& after) {
  const bool same_type = TypeName(before) == TypeName(after);
  for (const ExtensionKeys& keys : kKeys) {
    const std::string_view old_name = NameUnder(keys.name, before);
    const std::string_view name = NameUnder(keys.name, after);
    if (name == old_name) continue;
    if (same_type && SaysHowStored(old_name)) {
      return UserError("extension '", old_name, "' says how values of the semantic type ",
                       TypeName(after), " are stored; it can't be taken off, or replaced by '",
                       name, "'");
    }
    const bool is_new = !same_type && keys.name == kExtensionNameKey && BelongsTo(name, after);
    if (SaysHowStored(name) && !is_new) {
      auto type = after.ArrowType();
      return Reserved(name, after, type.ok() ? (*type)->ToString() : after.logical_type);
    }
  }
  return Status::OK();
}

std::optional<std::string> ExtensionDifference(const Field& table, const Field& data) {
  if (table.logical_type == "json" || IsBlobV1(table) || IsBlobV2(table)) return std::nullopt;
  for (const ExtensionKeys& given_by : kKeys) {
    const std::string_view given = NameUnder(given_by.name, data);
    if (given.empty()) continue;
    // Reads show it under either key.
    const auto own = std::find_if(kKeys.begin(), kKeys.end(), [&](const ExtensionKeys& keys) {
      return NameUnder(keys.name, table) == given;
    });
    if (own == kKeys.end()) return DifferentName(given, table);
    const auto parameters = FindMetadata(data.metadata.get(), given_by.parameters);
    const auto wanted = FindMetadata(table.metadata.get(), own->parameters);
    if (parameters && *parameters != wanted.value_or("")) {
      return internal::Concat("extension '", given, "' with the parameters '", *parameters,
                              "', the table has it with '", wanted.value_or(""), "'");
    }
  }
  return std::nullopt;
}

}  // namespace lance
