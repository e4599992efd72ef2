#include "schema/semantic_schema.h"

#include <functional>
#include <utility>
#include <vector>

#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "schema/blob.h"
#include "schema/extensions.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"

namespace lance {
namespace {

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

/// That the output encoding which a field names exists.
Status CheckEncoding(const Field& field) {
  const auto name = FindMetadata(field.metadata.get(), kOutputEncodingKey);
  if (!name) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(SemanticType type, SemanticTypeOf(field));
  if (type.has_output_encodings()) return FindOutputEncoding(type, *name).status();
  return UserError("type ", type.name, " has no output encodings");
}

/// That the type which a field was given means accepts the input.
Result<SemanticType> CheckInput(const arrow::Field& input, const Field& field) {
  if (auto why = WhyNotAccepted(input)) {
    return UserError("no semantic type accepts input of type ", input.type()->ToString(), ": ",
                     *why);
  }
  ARROW_RETURN_NOT_OK(CheckExtensions(field, input.type()->ToString()));
  return SemanticTypeOf(field);
}

Status AdoptField(const arrow::Field& input, const std::string& path, Field* field) {
  ARROW_ASSIGN_OR_RAISE(const SemanticType type, CheckInput(input, *field));
  if (IsOpaque(*field)) return Status::OK();
  auto storage = StorageType(input.type());
  for (size_t i = 0; i < field->children.size(); ++i) {
    Field* child = &field->children[i];
    const Status status =
        AdoptField(*storage->field(static_cast<int>(i)), Join(path, child->name), child);
    ARROW_RETURN_NOT_OK(At(status, Join(path, child->name)));
  }
  ARROW_RETURN_NOT_OK(CheckEncoding(*field));
  if (!type.has_output_encodings()) return Status::OK();
  const std::string own = EncodingOfInput(input);
  const bool is_given = FindMetadata(field->metadata.get(), kOutputEncodingKey).has_value();
  if (!is_given && own != DefaultOutputEncoding(type).name) SetEncoding(own, field);
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

Status CheckChanged(const Schema& before, const std::string& prefix,
                    const std::vector<Field>& fields) {
  for (const Field& field : fields) {
    const std::string path = Join(prefix, field.name);
    const Field* old = before.FindById(field.id);
    const auto encoding_of = [](const Field& one) {
      return FindMetadata(one.metadata.get(), kOutputEncodingKey);
    };
    if (old == nullptr || encoding_of(*old) != encoding_of(field)) {
      ARROW_RETURN_NOT_OK(At(CheckEncoding(field), path));
    }
    auto type = field.ArrowType();
    const Status extensions =
        old != nullptr
            ? CheckExtensionChange(*old, field)
            : CheckExtensions(field, type.ok() ? (*type)->ToString() : field.logical_type);
    ARROW_RETURN_NOT_OK(At(extensions, path));
    if (!IsOpaque(field)) ARROW_RETURN_NOT_OK(CheckChanged(before, path, field.children));
  }
  return Status::OK();
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

Status CheckSemanticChange(const Schema& before, const Schema& schema) {
  return schema.semantic_types ? CheckChanged(before, "", schema.fields) : Status::OK();
}

bool SameSemanticType(const Field& a, const Field& b) {
  auto one = SemanticTypeOf(a);
  auto other = SemanticTypeOf(b);
  return one.ok() && other.ok() ? *one == *other : a.logical_type == b.logical_type;
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
  ARROW_RETURN_NOT_OK(At(CheckEncoding(*field), path));
  UseLayout(field);
  return Status::OK();
}

}  // namespace lance
