#include "dataset/append_schema.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "arrow/api.h"

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

Result<Field> MatchField(const Field& table, const Field& data, MissingFields missing,
                         const std::string& path);

/// Fields of the table that the data has.
Result<std::vector<Field>> MatchByName(const std::vector<Field>& table,
                                       const std::vector<Field>& data, MissingFields missing,
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
      ARROW_ASSIGN_OR_RAISE(auto match, MatchField(field, *found, missing, Join(path, field.name)));
      matched.push_back(std::move(match));
    } else if (!field.nullable && missing == MissingFields::kNullable) {
      return Different("column '", Join(path, field.name),
                       "' is missing in the data, and may not be null; add it");
    }
  }
  return matched;
}

Result<Field> MatchField(const Field& table, const Field& data, MissingFields missing,
                         const std::string& path) {
  if (table.logical_type != data.logical_type || table.IsLeaf() != data.IsLeaf()) {
    return Different("column '", path, "' should have type ", TypeText(table),
                     ", but the data has ", TypeText(data), "; cast it first");
  }
  Field match = table;
  if (table.IsLeaf()) return match;
  if (table.logical_type == kStruct) {
    ARROW_ASSIGN_OR_RAISE(match.children,
                          MatchByName(table.children, data.children, missing, path));
    return match;
  }
  // Lists and maps: the names of their items and entries mean nothing.
  if (table.children.size() != data.children.size()) {
    return Different("column '", path, "' should have type ", TypeText(table),
                     ", but the data has ", TypeText(data));
  }
  for (size_t i = 0; i < table.children.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(match.children[i],
                          MatchField(table.children[i], data.children[i], missing,
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
  if (file.IsLeaf() || SameOrder(file, data)) return array;
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
  ARROW_ASSIGN_OR_RAISE(mapping.data_schema, Schema::FromArrow(data));
  mapping.file_schema.metadata = table.metadata;
  ARROW_ASSIGN_OR_RAISE(mapping.file_schema.fields,
                        MatchByName(table.fields, mapping.data_schema.fields, missing, ""));
  if (mapping.file_schema.fields.empty() && !table.fields.empty()) {
    return Different("the data has none of the table's columns");
  }
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
