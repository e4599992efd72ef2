#include "schema/semantic_schema.h"

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "schema/blob.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"

namespace lance {
namespace {

constexpr std::string_view kReservedPrefix = "lance.";
constexpr std::array<std::string_view, 3> kOwnExtensions = {kLanceJsonName, kBlobV2Name,
                                                            kBFloat16Name};

/// Blobs are structs and bytes of another specification.
bool IsOpaque(const Field& field) { return IsBlobV1(field) || IsBlobV2(field); }

std::string Join(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

Status At(const Status& status, const std::string& path) {
  return WithPlace(status, {.field = path});
}

/// Lists of structs have names of their own in data files.
std::string LayoutName(const OutputEncoding& encoding, const Field& field) {
  const FieldKind kind = KindOfLogicalType(encoding.layout);
  const bool is_list = kind == FieldKind::kList || kind == FieldKind::kLargeList;
  const bool of_struct =
      is_list && field.children.size() == 1 && field.children[0].logical_type == "struct";
  return of_struct ? encoding.layout + ".struct" : encoding.layout;
}

void SetEncoding(std::string_view name, Field* field) {
  field->metadata = WithMetadata(field->metadata, kOutputEncodingKey, name);
}

/// The layout of a field that is made for its output encoding.
void UseLayout(Field* field) {
  if (auto encoding = OutputEncodingOf(*field)) field->logical_type = LayoutName(*encoding, *field);
}

Status Resolve(const std::string& prefix, std::vector<Field>* fields) {
  for (Field& field : *fields) {
    if (IsOpaque(field)) continue;
    const std::string path = Join(prefix, field.name);
    ARROW_RETURN_NOT_OK(Resolve(path, &field.children));
    auto type = SemanticTypeOf(field);
    if (!type.ok()) return At(type.status(), path);
    if (!type->has_output_encodings()) continue;
    const std::string implied = EncodingOfLayout(field.logical_type);
    const bool is_alias = !implied.empty() && implied != DefaultOutputEncoding(*type).name;
    if (is_alias && !FindMetadata(field.metadata.get(), kOutputEncodingKey)) {
      SetEncoding(implied, &field);
    }
    UseLayout(&field);
  }
  return Status::OK();
}

/// What another table may have left means nothing.
void DropEncodings(std::vector<Field>* fields) {
  for (Field& field : *fields) {
    field.metadata = WithMetadata(field.metadata, kOutputEncodingKey, std::nullopt);
    DropEncodings(&field.children);
  }
}

Status CheckExtension(std::string_view name) {
  if (!name.starts_with(kReservedPrefix)) return Status::OK();
  for (std::string_view own : kOwnExtensions) {
    if (name == own) return Status::OK();
  }
  return UserError("extension name '", name, "' is reserved: names that start with '",
                   kReservedPrefix, "' are for Lance; use a prefix of your own");
}

Status CheckExtensions(const Field& field) {
  for (std::string_view key : {kExtensionNameKey, kLanceExtensionNameKey}) {
    if (auto name = FindMetadata(field.metadata.get(), key)) {
      ARROW_RETURN_NOT_OK(CheckExtension(*name));
    }
  }
  return Status::OK();
}

bool IsView(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING_VIEW || type.id() == arrow::Type::BINARY_VIEW;
}

Status AdoptField(const arrow::Field& input, const std::string& path, Field* field) {
  ARROW_RETURN_NOT_OK(CheckExtensions(*field));
  if (IsOpaque(*field)) return Status::OK();
  auto storage = StorageType(input.type());
  for (size_t i = 0; i < field->children.size(); ++i) {
    Field* child = &field->children[i];
    const Status status =
        AdoptField(*storage->field(static_cast<int>(i)), Join(path, child->name), child);
    ARROW_RETURN_NOT_OK(At(status, Join(path, child->name)));
  }
  if (!AcceptsInput(input)) {
    return UserError("no semantic type accepts input of type ", input.type()->ToString(),
                     "; cast the column");
  }
  ARROW_ASSIGN_OR_RAISE(SemanticType type, SemanticTypeOf(*field));
  if (!type.has_output_encodings()) {
    if (!FindMetadata(field->metadata.get(), kOutputEncodingKey)) return Status::OK();
    return UserError("type ", type.name, " has no output encodings");
  }
  if (auto given = FindMetadata(field->metadata.get(), kOutputEncodingKey)) {
    ARROW_RETURN_NOT_OK(FindOutputEncoding(type, *given).status());
  } else if (std::string own = EncodingOfInput(input); own != DefaultOutputEncoding(type).name) {
    SetEncoding(own, field);
  }
  UseLayout(field);
  return Status::OK();
}

void StoreField(const arrow::Field& input, Field* field) {
  auto storage = StorageType(input.type());
  if (storage->id() == arrow::Type::STRING_VIEW && field->logical_type == "string") {
    field->logical_type = "large_string";
  } else if (storage->id() == arrow::Type::BINARY_VIEW) {
    field->logical_type = "large_binary";
  }
  for (size_t i = 0; i < field->children.size(); ++i) {
    StoreField(*storage->field(static_cast<int>(i)), &field->children[i]);
  }
}

void AddWidest(const std::string& prefix, const std::vector<Field>& fields,
               OutputEncodings* encodings) {
  for (const Field& field : fields) {
    if (IsOpaque(field)) continue;
    const std::string path = Join(prefix, InBackTicks(field.name));
    if (auto widest = WidestEncoding(field)) encodings->emplace(path, *std::move(widest));
    AddWidest(path, field.children, encodings);
  }
}

void UseLayoutsOf(const Schema& whole, std::vector<Field>* fields) {
  for (Field& field : *fields) {
    if (const Field* same = whole.FindById(field.id)) field.logical_type = same->logical_type;
    UseLayoutsOf(whole, &field.children);
  }
}

Field* FindMutable(std::vector<Field>* fields, const Field* wanted, const std::vector<Field>& in) {
  for (size_t i = 0; i < in.size(); ++i) {
    if (&in[i] == wanted) return &(*fields)[i];
    if (Field* found = FindMutable(&(*fields)[i].children, wanted, in[i].children)) return found;
  }
  return nullptr;
}

}  // namespace

std::string CanonicalName(const Field& field) {
  auto type = SemanticTypeOf(field);
  return type.ok() ? type->name : field.logical_type;
}

Status ResolveSemanticTypes(Schema* schema) {
  schema->semantic_types = true;
  return Resolve("", &schema->fields);
}

Result<Schema> WithSemanticTypes(const Schema& schema) {
  Schema upgraded = schema;
  DropEncodings(&upgraded.fields);
  ARROW_RETURN_NOT_OK(ResolveSemanticTypes(&upgraded));
  return upgraded;
}

Status AdoptSemanticTypes(const arrow::Schema& input, Schema* schema) {
  schema->semantic_types = true;
  for (int i = 0; i < input.num_fields(); ++i) {
    Field* field = &schema->fields[static_cast<size_t>(i)];
    ARROW_RETURN_NOT_OK(At(AdoptField(*input.field(i), field->name, field), field->name));
  }
  return Status::OK();
}

bool AcceptsInput(const arrow::Field& input) {
  auto storage = StorageType(input.type());
  if (storage->id() != arrow::Type::DICTIONARY) return true;
  const auto& dictionary = static_cast<const arrow::DictionaryType&>(*storage);
  if (IsView(*dictionary.value_type())) return false;
  auto layout = LogicalTypeOf(*storage);
  return layout.ok() && ParseSemanticType(*layout).ok();
}

Schema StoredLayouts(const arrow::Schema& input, Schema schema) {
  for (int i = 0; i < input.num_fields(); ++i) {
    StoreField(*input.field(i), &schema.fields[static_cast<size_t>(i)]);
  }
  return FileSchemaOf(std::move(schema));
}

Schema FileSchemaOf(Schema table) {
  table.semantic_types = false;
  DropEncodings(&table.fields);
  return table;
}

Result<Schema> WithOutputEncodings(const Schema& schema, const OutputEncodings& encodings) {
  if (encodings.empty()) return schema;
  if (!schema.semantic_types) {
    return UserError(
        "output encodings are for tables with semantic types; upgrade the table, or cast the "
        "result");
  }
  Schema changed = schema;
  for (const auto& [path, encoding] : encodings) {
    const Field* field = schema.FindByPath(path);
    if (field == nullptr) return UserError("column '", path, "' does not exist");
    Field* target = FindMutable(&changed.fields, field, schema.fields);
    SetEncoding(encoding, target);
    ARROW_RETURN_NOT_OK(UpdateOutputEncoding(path, target));
  }
  return changed;
}

OutputEncodings WidestEncodings(const Schema& schema) {
  OutputEncodings encodings;
  if (schema.semantic_types) AddWidest("", schema.fields, &encodings);
  return encodings;
}

Schema RewriteSchema(const Schema& table) {
  if (!table.semantic_types) return table;
  auto widest = WithOutputEncodings(table, WidestEncodings(table));
  return FileSchemaOf(widest.ok() ? *std::move(widest) : table);
}

Schema WithLayoutsOf(const Schema& whole, Schema part) {
  UseLayoutsOf(whole, &part.fields);
  return part;
}

Status UpdateOutputEncoding(const std::string& path, Field* field) {
  auto type = SemanticTypeOf(*field);
  if (!type.ok()) return At(type.status(), path);
  if (auto name = FindMetadata(field->metadata.get(), kOutputEncodingKey)) {
    const Status found = type->has_output_encodings()
                             ? FindOutputEncoding(*type, *name).status()
                             : UserError("type ", type->name, " has no output encodings");
    if (!found.ok()) return At(found, path);
  }
  UseLayout(field);
  return Status::OK();
}

std::optional<std::string> ExtensionDifference(const Field& table, const Field& data) {
  auto name_of = [](const Field& field) {
    return std::string(FindMetadata(field.metadata.get(), kExtensionNameKey).value_or(""));
  };
  const std::string given = name_of(data);
  const std::string own = name_of(table);
  const bool is_hint =
      FindMetadata(table.metadata.get(), kLanceExtensionNameKey).value_or("") == given;
  if (given.empty() || given == own || is_hint || table.logical_type == "json" || IsOpaque(table)) {
    return std::nullopt;
  }
  return internal::Concat("extension '", given, "', the table ",
                          own.empty() ? "has none" : "has '" + own + "'");
}

}  // namespace lance
