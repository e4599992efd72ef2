#include "dataset/drop_columns.h"

#include <algorithm>
#include <set>

#include "dataset/commit_operation.h"
#include "schema/packed_struct.h"

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

/// A column can't lose a part of what it stores.
Status CheckNoPartIsLeft(const Schema& schema, const std::set<int32_t>& ids) {
  for (int32_t id : ids) {
    const Field* whole = StoredTogetherIn(schema, id);
    if (whole == nullptr || ids.contains(whole->id)) continue;
    const bool all = std::all_of(whole->children.begin(), whole->children.end(),
                                 [&](const Field& member) { return ids.contains(member.id); });
    if (all) continue;
    return UserError("Column ", schema.FindById(id)->name, " is stored together with the rest of ",
                     whole->name, "; drop that as a whole");
  }
  return Status::OK();
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
  ARROW_RETURN_NOT_OK(CheckNoPartIsLeft(schema, ids));
  Remove(ids, &schema.fields);
  if (schema.fields.empty()) return UserError("Cannot drop all columns from a dataset");
  Transaction transaction = BeginTransaction(snapshot);
  auto* project = transaction.mutable_project();
  schema.ToProto(project->mutable_schema());
  project->set_preserves_nullability(true);
  return CommitOperation(snapshot, std::move(transaction));
}

}  // namespace lance
