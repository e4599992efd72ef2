#include "dataset/add_columns.h"

#include <algorithm>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "dataset/column_files_writer.h"
#include "dataset/commit_operation.h"
#include "schema/blob.h"
#include "schema/logical_type.h"
#include "table/feature_flags.h"

namespace lance {
namespace {

Result<std::vector<table::DataFragment>> AllFragments(const Snapshot& snapshot) {
  std::vector<table::DataFragment> fragments;
  for (const FragmentSummary& summary : snapshot.fragments()) {
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
    fragments.push_back(std::move(fragment));
  }
  return fragments;
}

Status AlreadyThere(const std::string& path) {
  return UserError("Column ", path, " already exists in the dataset");
}

/// The fields of new columns, with new ids.
Result<NewColumns> MakeFields(const Snapshot& snapshot, const arrow::Schema& columns) {
  ARROW_RETURN_NOT_OK(CheckWritable(snapshot.manifest()));
  for (const std::string& name : columns.field_names()) {
    if (IsReservedColumnName(name)) {
      return UserError("column '", name, "' has a reserved name; rename it");
    }
  }
  ARROW_ASSIGN_OR_RAISE(int32_t first_id, snapshot.manifest().NextFieldId());
  ARROW_ASSIGN_OR_RAISE(NewColumns added, MakeNewColumns(columns, first_id,
                                                         snapshot.manifest().has_semantic_types()));
  ARROW_RETURN_NOT_OK(CheckNewNames(added.table.fields));
  ARROW_RETURN_NOT_OK(CheckBlobMarks(added.table));
  added.table.metadata = nullptr;
  added.files.metadata = nullptr;
  return added;
}

bool AreNullable(const Schema& added) {
  return std::all_of(added.fields.begin(), added.fields.end(),
                     [](const Field& field) { return field.nullable; });
}

std::string TypeText(const Field& field) {
  auto type = field.ArrowType();
  return type.ok() ? (*type)->ToString() : field.logical_type;
}

bool IsStruct(const Field& field) { return field.logical_type == "struct" && !field.IsLeaf(); }

bool IsList(const Field& field) {
  const FieldKind kind = KindOfLogicalType(field.logical_type);
  return (kind == FieldKind::kList || kind == FieldKind::kLargeList) && !field.IsLeaf();
}

/// Adds to structs the members that only `given` has; those that both have must have such members.
Status AddMembers(const std::string& path, Field given, Field* field) {
  if (IsList(*field) && given.logical_type == field->logical_type) {
    return AddMembers(path + "." + field->children[0].name, std::move(given.children[0]),
                      &field->children[0]);
  }
  if (!IsStruct(*field) || given.logical_type != "struct") {
    if (TypeText(*field) == TypeText(given)) return AlreadyThere(path);
    return UserError("Type conflicts between ", path, "(", TypeText(*field), ") and ", path, "(",
                     TypeText(given), ")");
  }
  for (Field& member : given.children) {
    const std::string member_path = path + "." + member.name;
    auto there = std::find_if(field->children.begin(), field->children.end(),
                              [&](const Field& other) { return other.name == member.name; });
    if (there != field->children.end()) {
      ARROW_RETURN_NOT_OK(AddMembers(member_path, std::move(member), &*there));
    } else if (!member.nullable) {
      return UserError("All-null columns must be nullable, but field '", member_path, "' is not.");
    } else {
      field->children.push_back(std::move(member));
    }
  }
  return Status::OK();
}

/// Files before 2.1 have a column of its own for a struct.
Status CheckTakesMembers(const Snapshot& snapshot, const std::string& column) {
  ARROW_ASSIGN_OR_RAISE(FileVersion version, snapshot.manifest().data_version());
  if (version >= FileVersion::kV2_1) return Status::OK();
  return UserError("Column ", column,
                   " can get no new members: that needs data files of version "
                   "2.1 or later");
}

Result<Schema> WithNullColumns(const Snapshot& snapshot, const arrow::Schema& columns) {
  ARROW_ASSIGN_OR_RAISE(NewColumns added, MakeFields(snapshot, columns));
  Schema schema = snapshot.manifest().schema;
  for (Field& field : added.table.fields) {
    auto there = std::find_if(schema.fields.begin(), schema.fields.end(),
                              [&](const Field& other) { return other.name == field.name; });
    if (there == schema.fields.end()) {
      schema.fields.push_back(std::move(field));
      continue;
    }
    if (IsStruct(field) || IsList(field)) {
      ARROW_RETURN_NOT_OK(CheckTakesMembers(snapshot, field.name));
    }
    const std::string name = field.name;
    ARROW_RETURN_NOT_OK(AddMembers(name, std::move(field), &*there));
  }
  return schema;
}

}  // namespace

Schema Joined(const Schema& table, const Schema& added) {
  Schema joined = table;
  joined.fields.insert(joined.fields.end(), added.fields.begin(), added.fields.end());
  return joined;
}

Result<NewColumns> NewFields(const Snapshot& snapshot, const arrow::Schema& columns) {
  for (const std::string& name : columns.field_names()) {
    if (snapshot.manifest().schema.FindByName(name) != nullptr) return AlreadyThere(name);
  }
  return MakeFields(snapshot, columns);
}

Result<std::shared_ptr<const Snapshot>> CommitMerge(const Snapshot& snapshot, const Schema& schema,
                                                    const std::vector<table::DataFragment>& data,
                                                    bool preserves_nullability, NewFiles* files) {
  ARROW_RETURN_NOT_OK(schema.Validate());
  Transaction transaction = BeginTransaction(snapshot);
  auto* merge = transaction.mutable_merge();
  merge->mutable_fragments()->Add(data.begin(), data.end());
  schema.ToProto(merge->mutable_schema());
  SchemaMetadataToProto(schema, merge->mutable_schema_metadata());
  merge->set_preserves_nullability(preserves_nullability);
  return CommitOperation(snapshot, std::move(transaction), files);
}

Result<std::shared_ptr<const Snapshot>> AddNullColumns(const Snapshot& snapshot,
                                                       const arrow::Schema& columns) {
  for (const auto& field : columns.fields()) {
    if (field->nullable()) continue;
    return UserError("All-null columns must be nullable, but field '", field->name(), "' is not.");
  }
  ARROW_ASSIGN_OR_RAISE(Schema schema, WithNullColumns(snapshot, columns));
  ARROW_ASSIGN_OR_RAISE(auto fragments, AllFragments(snapshot));
  NewFiles none(snapshot.MakeContext());
  return CommitMerge(snapshot, schema, fragments, /*preserves_nullability=*/true, &none);
}

Result<std::shared_ptr<const Snapshot>> AddColumns(
    const Snapshot& snapshot, const std::shared_ptr<arrow::RecordBatchReader>& values) {
  ARROW_ASSIGN_OR_RAISE(NewColumns added, NewFields(snapshot, *values->schema()));
  Schema joined = Joined(snapshot.manifest().schema, added.table);
  ARROW_RETURN_NOT_OK(joined.Validate());
  NewFiles files(snapshot.MakeContext());
  ColumnFilesWriter writer(snapshot, added.files, &files);
  ARROW_ASSIGN_OR_RAISE(auto fragments, writer.WriteAll(*values));
  return CommitMerge(snapshot, joined, fragments, AreNullable(added.table), &files);
}

}  // namespace lance
