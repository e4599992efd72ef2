#include "dataset/add_columns.h"

#include "arrow/api.h"
#include "dataset/column_files_writer.h"
#include "dataset/commit_operation.h"
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

}  // namespace

Schema Joined(const Schema& table, const Schema& added) {
  Schema joined = table;
  joined.fields.insert(joined.fields.end(), added.fields.begin(), added.fields.end());
  return joined;
}

Result<NewColumns> NewFields(const Snapshot& snapshot, const arrow::Schema& columns) {
  ARROW_RETURN_NOT_OK(CheckWritable(snapshot.manifest()));
  for (const std::string& name : columns.field_names()) {
    if (IsReservedColumnName(name)) {
      return UserError("column '", name, "' has a reserved name; rename it");
    }
    if (snapshot.manifest().schema.FindByName(name) != nullptr) {
      return UserError("Column ", name, " already exists in the dataset");
    }
  }
  ARROW_ASSIGN_OR_RAISE(int32_t first_id, snapshot.manifest().NextFieldId());
  ARROW_ASSIGN_OR_RAISE(NewColumns added, MakeNewColumns(columns, first_id,
                                                         snapshot.manifest().has_semantic_types()));
  added.table.metadata = nullptr;
  added.files.metadata = nullptr;
  return added;
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
  ARROW_ASSIGN_OR_RAISE(NewColumns added, NewFields(snapshot, columns));
  ARROW_ASSIGN_OR_RAISE(auto fragments, AllFragments(snapshot));
  NewFiles none(snapshot.MakeContext());
  return CommitMerge(snapshot, Joined(snapshot.manifest().schema, added.table), fragments,
                     /*preserves_nullability=*/true, &none);
}

Result<std::shared_ptr<const Snapshot>> AddColumns(
    const Snapshot& snapshot, const std::shared_ptr<arrow::RecordBatchReader>& values) {
  ARROW_ASSIGN_OR_RAISE(NewColumns added, NewFields(snapshot, *values->schema()));
  Schema joined = Joined(snapshot.manifest().schema, added.table);
  ARROW_RETURN_NOT_OK(joined.Validate());
  NewFiles files(snapshot.MakeContext());
  ColumnFilesWriter writer(snapshot, added.files, &files);
  ARROW_ASSIGN_OR_RAISE(auto fragments, writer.WriteAll(*values));
  return CommitMerge(snapshot, joined, fragments, /*preserves_nullability=*/true, &files);
}

}  // namespace lance
