#include "dataset/append_schema.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "arrow/api.h"
#include "schema/blob.h"
#include "schema/extensions.h"
#include "schema/logical_type.h"
#include "schema/packed_struct.h"
#include "schema/semantic_schema.h"

namespace lance {
namespace {

constexpr std::string_view kStruct = "struct";

std::string TypeText(const Field& field) {
  auto type = field.ArrowType();
  return type.ok() ? (*type)->ToString() : field.logical_type;
}

std::string Join(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

const Field* FindByName(const std::vector<Field>& fields, std::string_view name) {
  auto at = std::find_if(fields.begin(), fields.end(),
                         [&](const Field& field) { return field.name == name; });
  return at == fields.end() ? nullptr : &*at;
}

std::shared_ptr<arrow::DataType> WithSmallOffsets(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::LARGE_STRING:
      return arrow::utf8();
    case arrow::Type::LARGE_BINARY:
      return arrow::binary();
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryType&>(*type);
      return arrow::dictionary(dictionary.index_type(), WithSmallOffsets(dictionary.value_type()),
                               dictionary.ordered());
    }
    default:
      return type;
  }
}

template <typename... Args>
Status Different(Args&&... args) {
  return UserError("Append with different schema: ", std::forward<Args>(args)...);
}

Status UnknownField(const std::vector<Field>& known, const std::string& prefix,
                    const std::string& name) {
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const Field& field : known) names.push_back(field.name);
  auto nearest = NearestName(name, names);
  std::string hint = nearest ? "; did you mean '" + Join(prefix, *nearest) + "'?"
                             : "; the table's columns are fixed when data is appended";
  return Different("column '", Join(prefix, name), "' is not in the table", hint);
}

/// What matching goes by.
struct Rules {
  MissingFields missing = MissingFields::kNullable;
  bool semantic_types = false;
};

/// Data: its fields as files hold them, and as they are given.
struct Given {
  const Field& field;
  const arrow::Field& input;

  Given child(size_t i) const {
    return {field.children[i], *StorageType(input.type())->field(static_cast<int>(i))};
  }
};

Result<Field> MatchField(const Field& table, const Given& data, const Rules& rules,
                         const std::string& path);

/// Fields of the table that the data has.
Result<std::vector<Field>> MatchByName(const std::vector<Field>& table,
                                       const std::vector<Field>& data,
                                       const arrow::FieldVector& inputs, const Rules& rules,
                                       const std::string& path) {
  std::unordered_set<std::string_view> names;
  for (const Field& field : data) {
    if (FindByName(table, field.name) == nullptr) return UnknownField(table, path, field.name);
    if (!names.insert(field.name).second) {
      return Different("column '", Join(path, field.name),
                       "' is there twice; rename or drop one of the two");
    }
  }
  std::vector<Field> matched;
  for (const Field& field : table) {
    const Field* found = FindByName(data, field.name);
    if (found != nullptr) {
      const Given given{*found, *inputs[static_cast<size_t>(found - data.data())]};
      ARROW_ASSIGN_OR_RAISE(auto match, MatchField(field, given, rules, Join(path, field.name)));
      matched.push_back(std::move(match));
    } else if (!field.nullable && rules.missing == MissingFields::kNullable) {
      return Different("column '", Join(path, field.name),
                       "' is missing in the data, and may not be null; add it");
    }
  }
  return matched;
}

/// Text or bytes whose offsets may have either width, also in a dictionary: the layout of the table
/// holds the same values.
bool SameButForOffsets(const Field& table, const Field& data) {
  if (!table.IsLeaf() || !data.IsLeaf() || IsBlobV1(table) || IsBlobV1(data)) return false;
  auto wanted = table.ArrowType();
  auto given = data.ArrowType();
  return wanted.ok() && given.ok() && WithSmallOffsets(*wanted)->Equals(WithSmallOffsets(*given));
}

/// Whether a struct is packed is the table's to say; data that doesn't is as good.
bool IsStructOfMembers(const Field& field) {
  if (field.logical_type != kStruct || field.children.empty()) return false;
  return IsPackedColumn(field) || !field.IsLeaf();
}

bool HasMembersAlike(const Field& table, const Field& data) {
  return table.IsLeaf() == data.IsLeaf() || (IsStructOfMembers(table) && IsStructOfMembers(data));
}

Status CheckLayout(const Field& table, const Given& data, const std::string& path) {
  if (table.logical_type == data.field.logical_type && HasMembersAlike(table, data.field)) {
    return Status::OK();
  }
  if (SameButForOffsets(table, data.field)) return Status::OK();
  return Different("column '", path, "' should have type ", TypeText(table), ", but the data has ",
                   TypeText(data.field), "; cast it first");
}

Status NotAccepted(const std::string& path, const SemanticType& type, std::string_view input,
                   std::string_view why) {
  return Different("column '", path, "' of the semantic type ", type.name,
                   " does not accept input of type ", input, "; ", why);
}

Status CheckSemanticType(const Field& table, const Given& data, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(SemanticType wanted, SemanticTypeOf(table));
  if (wanted.kind == SemanticKind::kBlob) return CheckLayout(table, data, path);
  auto type = SemanticTypeOf(data.field);
  const auto refused = WhyNotAccepted(data.input);
  const bool accepted = type.ok() && *type == wanted && !refused;
  if (!accepted || !HasMembersAlike(table, data.field)) {
    return NotAccepted(path, wanted, data.input.type()->ToString(),
                       refused.value_or("cast it first"));
  }
  if (auto difference = ExtensionDifference(table, data.field)) {
    return Different("column '", path, "' of the semantic type ", wanted.name,
                     " is given with the ", *difference);
  }
  return Status::OK();
}

/// Of a type that no table can store.
Status NotStorable(const Schema& table, const Status& status) {
  const ErrorDetail* detail = GetErrorDetail(status);
  const Field* field = detail == nullptr ? nullptr : table.FindByPath(detail->place.field);
  if (field == nullptr) return status;
  ARROW_ASSIGN_OR_RAISE(const SemanticType wanted, SemanticTypeOf(*field));
  return Different("column '", detail->place.field, "' of the semantic type ", wanted.name,
                   " does not accept its input: ", status.message());
}

Result<Field> MatchField(const Field& table, const Given& data, const Rules& rules,
                         const std::string& path) {
  ARROW_RETURN_NOT_OK(rules.semantic_types ? CheckSemanticType(table, data, path)
                                           : CheckLayout(table, data, path));
  Field match = table;
  if (rules.semantic_types) match.logical_type = data.field.logical_type;
  if (table.IsLeaf() && !IsPackedColumn(table)) return match;
  if (table.logical_type == kStruct) {
    ARROW_ASSIGN_OR_RAISE(match.children,
                          MatchByName(table.children, data.field.children,
                                      StorageType(data.input.type())->fields(), rules, path));
    if (table.IsPackedStruct() && match.children.size() != table.children.size()) {
      return Different("column '", path, "' should have all members of ", TypeText(table),
                       ", which are stored together");
    }
    return match;
  }
  // Lists and maps: the names of their items and entries mean nothing.
  if (table.children.size() != data.field.children.size()) {
    return Different("column '", path, "' should have type ", TypeText(table),
                     ", but the data has ", TypeText(data.field));
  }
  for (size_t i = 0; i < table.children.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(match.children[i], MatchField(table.children[i], data.child(i), rules,
                                                        Join(path, table.children[i].name)));
  }
  return match;
}

/// Whether structs have their members in the same order, all the way down.
bool SameOrder(const Field& file, const Field& data) {
  if (file.children.size() != data.children.size()) return false;
  for (size_t i = 0; i < file.children.size(); ++i) {
    if (file.logical_type == kStruct && file.children[i].name != data.children[i].name) {
      return false;
    }
    if (!SameOrder(file.children[i], data.children[i])) return false;
  }
  return true;
}

std::shared_ptr<arrow::Field> ChildField(const arrow::DataType& type, int index,
                                         const std::shared_ptr<arrow::DataType>& child_type) {
  return type.field(index)->WithType(child_type);
}

/// Puts the members of structs into the order of the file.
Result<std::shared_ptr<arrow::ArrayData>> Arrange(const Field& file, const Field& data,
                                                  const std::shared_ptr<arrow::ArrayData>& array) {
  if ((file.IsLeaf() && !IsPackedColumn(file)) || SameOrder(file, data)) return array;
  auto out = array->Copy();
  out->child_data.clear();
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (size_t i = 0; i < file.children.size(); ++i) {
    size_t from = i;
    if (file.logical_type == kStruct) {
      from = static_cast<size_t>(FindByName(data.children, file.children[i].name) -
                                 data.children.data());
    }
    ARROW_ASSIGN_OR_RAISE(auto child,
                          Arrange(file.children[i], data.children[from], array->child_data[from]));
    fields.push_back(ChildField(*array->type, static_cast<int>(from), child->type));
    out->child_data.push_back(std::move(child));
  }
  switch (array->type->id()) {
    case arrow::Type::STRUCT:
      out->type = arrow::struct_(fields);
      return out;
    case arrow::Type::LIST:
      out->type = arrow::list(fields[0]);
      return out;
    case arrow::Type::LARGE_LIST:
      out->type = arrow::large_list(fields[0]);
      return out;
    case arrow::Type::FIXED_SIZE_LIST:
      out->type = arrow::fixed_size_list(
          fields[0], static_cast<const arrow::FixedSizeListType&>(*array->type).list_size());
      return out;
    default:
      return Different("column '", file.name, "' has its members in another order than the table: ",
                       array->type->ToString(), "; arrange them as ", TypeText(file));
  }
}

}  // namespace

Result<AppendMapping> MatchForAppend(const Schema& table, const arrow::Schema& data,
                                     MissingFields missing) {
  AppendMapping mapping;
  const Rules rules{missing, table.semantic_types};
  auto data_schema = Schema::FromArrow(data);
  if (!data_schema.ok() && rules.semantic_types) return NotStorable(table, data_schema.status());
  ARROW_ASSIGN_OR_RAISE(mapping.data_schema, std::move(data_schema));
  if (rules.semantic_types) {
    mapping.data_schema = StoredLayouts(data, std::move(mapping.data_schema));
  }
  mapping.file_schema.metadata = table.metadata;
  ARROW_ASSIGN_OR_RAISE(
      mapping.file_schema.fields,
      MatchByName(table.fields, mapping.data_schema.fields, data.fields(), rules, ""));
  if (mapping.file_schema.fields.empty() && !table.fields.empty()) {
    return Different("the data has none of the table's columns");
  }
  if (rules.semantic_types) mapping.file_schema = FileSchemaOf(std::move(mapping.file_schema));
  return mapping;
}

Result<std::shared_ptr<arrow::RecordBatch>> ArrangeBatch(const AppendMapping& mapping,
                                                         const arrow::RecordBatch& batch) {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  std::vector<std::shared_ptr<arrow::ArrayData>> columns;
  const auto& data_fields = mapping.data_schema.fields;
  for (const Field& field : mapping.file_schema.fields) {
    const Field* data = FindByName(data_fields, field.name);
    auto index = static_cast<int>(data - data_fields.data());
    ARROW_ASSIGN_OR_RAISE(auto column, Arrange(field, *data, batch.column_data(index)));
    fields.push_back(batch.schema()->field(index)->WithType(column->type));
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.num_rows(),
                                  std::move(columns));
}

}  // namespace lance
