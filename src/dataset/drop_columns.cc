#include "dataset/drop_columns.h"

#include <set>

#include "dataset/commit_operation.h"

namespace lance {
namespace {

/// Takes out the fields with these ids, and parents that have no child left.
void Remove(const std::set<int32_t>& ids, std::vector<Field>* fields) {
  std::erase_if(*fields, [&](Field& field) {
    if (ids.contains(field.id)) return true;
    bool is_parent = !field.children.empty();
    Remove(ids, &field.children);
    return is_parent && field.children.empty();
  });
}

}  // namespace

Result<std::shared_ptr<const Snapshot>> DropColumns(const Snapshot& snapshot,
                                                    const std::vector<std::string>& paths) {
  Schema schema = snapshot.manifest().schema;
  std::set<int32_t> ids;
  for (const std::string& path : paths) {
    const Field* field = schema.FindByPath(path);
    if (field == nullptr) return UserError("Column ", path, " does not exist in the dataset");
    ids.insert(field->id);
  }
  Remove(ids, &schema.fields);
  if (schema.fields.empty()) return UserError("Cannot drop all columns from a dataset");
  Transaction transaction = BeginTransaction(snapshot);
  auto* project = transaction.mutable_project();
  schema.ToProto(project->mutable_schema());
  project->set_preserves_nullability(true);
  return CommitOperation(snapshot, std::move(transaction));
}

}  // namespace lance
