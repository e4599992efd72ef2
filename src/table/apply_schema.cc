// Merge and Project.
#include <algorithm>
#include <map>

#include "schema/metadata.h"
#include "schema/semantic_schema.h"
#include "table/apply_operation.h"
#include "table/live_files.h"
#include "table/new_fragments.h"
#include "table/system_index.h"
#include "table/version_sequence.h"

namespace lance {
namespace {

/// Which file of a fragment holds each field.
std::map<int32_t, std::string> FilesOfFields(const table::DataFragment& fragment) {
  std::map<int32_t, std::string> files;
  for (const auto& file : fragment.files()) {
    for (int32_t id : file.fields()) {
      if (id >= 0) files[id] = file.path();
    }
  }
  return files;
}

/// What a Merge changes of an existing fragment.
struct FileChanges {
  /// Fields whose values come from another file now, by fragment.
  std::map<uint64_t, std::set<int32_t>> moved_fields;
};

/// Whether the set of files has changed.
bool SameFiles(const table::DataFragment& a, const table::DataFragment& b) {
  return std::equal(a.files().begin(), a.files().end(), b.files().begin(), b.files().end(),
                    [](const auto& x, const auto& y) { return x.path() == y.path(); });
}

std::set<int32_t> MovedFields(const table::DataFragment& before, const table::DataFragment& after) {
  std::set<int32_t> moved;
  std::map<int32_t, std::string> now = FilesOfFields(after);
  for (const auto& [id, path] : FilesOfFields(before)) {
    auto at = now.find(id);
    if (at != now.end() && at->second != path) moved.insert(id);
  }
  return moved;
}

/// Fragments of the list that are in the table already, and those that are new: ids that it doesn't
/// have, also a second 0.
struct MergedFragments {
  std::vector<table::DataFragment> existing;
  std::vector<table::DataFragment> added;
};

MergedFragments Split(const table::Transaction::Merge& merge, const Manifest& manifest) {
  MergedFragments fragments;
  std::set<uint64_t> seen;
  for (const auto& fragment : merge.fragments()) {
    bool exists =
        manifest.FindFragment(fragment.id()) != nullptr && seen.insert(fragment.id()).second;
    (exists ? fragments.existing : fragments.added).push_back(fragment);
  }
  return fragments;
}

Status CheckExisting(const table::DataFragment& before, const table::DataFragment& after) {
  if (before.physical_rows() != after.physical_rows()) {
    return UserError("merge changes the number of rows of fragment ", before.id(), " from ",
                     before.physical_rows(), " to ", after.physical_rows());
  }
  return Status::OK();
}

/// Puts the merged fragments in place. A fragment that has got other files was updated as a whole.
Result<FileChanges> ReplaceExisting(std::vector<table::DataFragment> existing, NextVersion* next) {
  FileChanges changes;
  std::vector<table::DataFragment> replaced;
  for (auto& fragment : existing) {
    const FragmentSummary& summary = *next->manifest.FindFragment(fragment.id());
    ARROW_ASSIGN_OR_RAISE(auto before, ParseFragment(summary));
    ARROW_RETURN_NOT_OK(CheckExisting(before, fragment));
    if (!SameFiles(before, fragment)) {
      for (const auto& file : fragment.files()) ARROW_RETURN_NOT_OK(CheckDataFile(file, next));
      changes.moved_fields[fragment.id()] = MovedFields(before, fragment);
      if (next->stable_row_ids) {
        fragment.set_inline_last_updated_at_versions(
            VersionSequence::Uniform(next->manifest.version(), fragment.physical_rows()).Encode());
      }
    }
    if (fragment.SerializeAsString() != AsText(summary.bytes)) {
      replaced.push_back(std::move(fragment));
    }
  }
  ARROW_RETURN_NOT_OK(next->manifest.ReplaceFragments(replaced));
  return changes;
}

void CollectParents(const std::vector<Field>& fields, int32_t parent,
                    std::map<int32_t, int32_t>* parents) {
  for (const Field& field : fields) {
    (*parents)[field.id] = parent;
    CollectParents(field.children, field.id, parents);
  }
}

/// Whether every fragment takes the field's values from another file than before.
bool MovedEverywhere(int32_t id, const FileChanges& changes, size_t num_fragments) {
  return changes.moved_fields.size() == num_fragments &&
         std::all_of(changes.moved_fields.begin(), changes.moved_fields.end(),
                     [&](const auto& entry) { return entry.second.contains(id); });
}

bool SameType(const Field& a, const Field& b, bool semantic_types) {
  return semantic_types ? SameSemanticType(a, b) : a.logical_type == b.logical_type;
}

Status CheckNewSchema(const Schema& schema, const FileChanges& changes, NextVersion* next) {
  ARROW_RETURN_NOT_OK(schema.Validate());
  const Manifest& newest = *next->newest;
  ARROW_ASSIGN_OR_RAISE(int32_t max_used, newest.MaxFieldId());
  std::map<int32_t, int32_t> old_parents;
  std::map<int32_t, int32_t> new_parents;
  CollectParents(newest.schema.fields, kUnassignedFieldId, &old_parents);
  CollectParents(schema.fields, kUnassignedFieldId, &new_parents);
  for (const Field* field : schema.PreOrder()) {
    const Field* before = newest.schema.FindById(field->id);
    if (before == nullptr) {
      if (field->id > max_used) continue;
      return MakeError(ErrorCode::kRetryableConflict,
                       internal::Concat("field id ", field->id, " of the new column '", field->name,
                                        "' is in use or was; please retry"));
    }
    if (old_parents[field->id] != new_parents[field->id]) {
      return UserError("merge moves field ", field->id, " ('", field->name, "') to another parent");
    }
    if (!SameType(*before, *field, next->semantic_types) &&
        !MovedEverywhere(field->id, changes, newest.fragments.size())) {
      return UserError("merge changes the type of field ", field->id, " ('", field->name,
                       "') without new data for it in every fragment");
    }
  }
  return Status::OK();
}

Status PruneIndexes(const FileChanges& changes, NextVersion* next) {
  if (!next->indexes.Encode()) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, next->indexes.Edit());
  for (const auto& [fragment, fields] : changes.moved_fields) {
    ARROW_RETURN_NOT_OK(PruneCoverage({fragment}, fields, next->manifest, entries));
  }
  return Status::OK();
}

void RaiseFieldIdLimit(Manifest* manifest) {
  if (!manifest->head.has_max_allocated_field_id()) return;
  manifest->head.set_max_allocated_field_id(
      std::max(manifest->head.max_allocated_field_id(), manifest->schema.MaxFieldId()));
}

/// Whether an entry of the metadata was missing, and is there now.
bool CopyMissing(std::string_view key, const Field& from, Field* to) {
  const auto value = FindMetadata(from.metadata.get(), key);
  if (!value || FindMetadata(to->metadata.get(), key)) return false;
  to->metadata = WithMetadata(to->metadata, key, *value);
  return true;
}

/// Fields that say nothing about their output encoding keep it, and those of JSON their extension.
void KeepWhatTypesHave(const Schema& before, std::vector<Field>* fields) {
  for (Field& field : *fields) {
    const Field* old = before.FindById(field.id);
    if (old != nullptr && SameSemanticType(field, *old)) {
      if (CopyMissing(kOutputEncodingKey, *old, &field)) field.logical_type = old->logical_type;
      if (field.logical_type == "json") CopyMissing(kExtensionNameKey, *old, &field);
    }
    KeepWhatTypesHave(before, &field.children);
  }
}

/// The schema of a transaction. Other writers leave its metadata out although the table keeps it.
Result<Schema> SchemaWithMetadata(
    const google::protobuf::RepeatedPtrField<lance::file::Field>& fields,
    const google::protobuf::Map<std::string, std::string>& metadata, const NextVersion& next) {
  ARROW_ASSIGN_OR_RAISE(Schema schema, SchemaFromProto(fields, metadata, next.semantic_types));
  const Schema& before = next.manifest.schema;
  if (schema.metadata == nullptr) schema.metadata = before.metadata;
  if (before.semantic_types) KeepWhatTypesHave(before, &schema.fields);
  ARROW_RETURN_NOT_OK(CheckSemanticChange(before, schema));
  return schema;
}

}  // namespace

Status ApplyMerge(const table::Transaction::Merge& merge, NextVersion* next) {
  MergedFragments fragments = Split(merge, next->manifest);
  if (fragments.existing.size() != next->manifest.fragments.size()) {
    return UserError("merge leaves out fragments of the table: it has ",
                     next->manifest.fragments.size(), ", ", fragments.existing.size(), " given");
  }
  ARROW_ASSIGN_OR_RAISE(Schema schema,
                        SchemaWithMetadata(merge.schema(), merge.schema_metadata(), *next));
  ARROW_ASSIGN_OR_RAISE(FileChanges changes, ReplaceExisting(std::move(fragments.existing), next));
  ARROW_RETURN_NOT_OK(CheckNewSchema(schema, changes, next));
  next->manifest.SetSchema(std::move(schema));
  RaiseFieldIdLimit(&next->manifest);
  ARROW_RETURN_NOT_OK(AddNewFragments(std::move(fragments.added), {}, next).status());
  return PruneIndexes(changes, next);
}

Status FinishRowIdMigration(NextVersion* next) {
  ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, next->indexes.Edit());
  std::string names;
  for (const auto& entry : *entries) {
    if (entry.name() == kFragmentReuseIndexName) continue;
    names += (names.empty() ? "'" : ", '") + entry.name() + "'";
  }
  if (!names.empty()) {
    return UserError(
        "Cannot migrate to stable row IDs while indexes exist on the dataset. Drop the following "
        "indexes first, then migrate, and create them again afterwards: ",
        names);
  }
  entries->Clear();
  uint64_t rows = 0;
  for (const FragmentSummary& fragment : next->manifest.fragments) rows += fragment.physical_rows;
  next->manifest.head.set_next_row_id(rows);
  next->stable_row_ids = true;
  return Status::OK();
}

Status ApplyProject(const table::Transaction::Project& project, NextVersion* next) {
  ARROW_ASSIGN_OR_RAISE(Schema schema, SchemaWithMetadata(project.schema(), {}, *next));
  ARROW_RETURN_NOT_OK(schema.Validate());
  for (const Field* field : schema.PreOrder()) {
    const Field* before = next->manifest.schema.FindById(field->id);
    if (before == nullptr || !SameType(*before, *field, next->semantic_types)) {
      return UserError("projection has field ", field->id, " ('", field->name, "' of type ",
                       field->logical_type, "), which the table lacks");
    }
  }
  std::vector<table::DataFragment> replaced;
  for (const FragmentSummary& summary : next->manifest.fragments) {
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
    if (RemoveDroppedFiles(next->manifest.schema, schema, &fragment))
      replaced.push_back(std::move(fragment));
  }
  next->manifest.SetSchema(std::move(schema));
  return next->manifest.ReplaceFragments(replaced);
}

}  // namespace lance
