// Append and Overwrite.
#include <algorithm>

#include "schema/semantic_schema.h"
#include "table/apply_operation.h"
#include "table/base_paths.h"
#include "table/new_fragments.h"

namespace lance {
namespace {

/// With non-reusable field ids, an overwrite brings ids that were never used.
Status AdvanceFieldIdLimit(Manifest* manifest) {
  if (!manifest->head.has_max_allocated_field_id()) return Status::OK();
  int32_t limit = manifest->head.max_allocated_field_id();
  for (const Field* field : manifest->schema.PreOrder()) {
    if (field->id <= limit) {
      return MakeError(ErrorCode::kRetryableConflict,
                       internal::Concat("field ids of this Overwrite are in use: ", field->id,
                                        " is not above ", limit, "; please retry"));
    }
  }
  manifest->head.set_max_allocated_field_id(std::max(limit, manifest->schema.MaxFieldId()));
  return Status::OK();
}

bool UsesBase(const table::Transaction::Overwrite& overwrite, uint32_t id) {
  return std::any_of(
      overwrite.fragments().begin(), overwrite.fragments().end(), [&](const auto& f) {
        return std::any_of(f.files().begin(), f.files().end(), [&](const table::DataFile& file) {
          return file.has_base_id() && file.base_id() == id;
        });
      });
}

/// An id of 0 is one that files may name, or stands for the next unused one.
Status RegisterInitialBases(const table::Transaction::Overwrite& overwrite, BasePaths* bases) {
  BasePaths others;
  for (const auto& base : overwrite.initial_bases()) {
    *(base.id() == 0 && UsesBase(overwrite, 0) ? bases : &others)->Add() = base;
  }
  return AddBasePaths(others, bases);
}

}  // namespace

Status ApplyAppend(const table::Transaction::Append& append, NextVersion* next) {
  std::vector<table::DataFragment> fragments(append.fragments().begin(), append.fragments().end());
  return AddNewFragments(std::move(fragments), {}, next).status();
}

Status ApplyOverwrite(const table::Transaction::Overwrite& overwrite, NextVersion* next) {
  Manifest& manifest = next->manifest;
  manifest.fragments.clear();
  manifest.fragment_owners.clear();
  next->indexes.Clear();
  ARROW_ASSIGN_OR_RAISE(
      Schema schema,
      SchemaFromProto(overwrite.schema(), overwrite.schema_metadata(), next->semantic_types));
  ARROW_RETURN_NOT_OK(CheckSemanticChange(Schema(), schema));
  manifest.SetSchema(std::move(schema));
  ARROW_RETURN_NOT_OK(AdvanceFieldIdLimit(&manifest));
  for (const auto& [key, value] : overwrite.config_upsert_values()) {
    (*manifest.head.mutable_config())[key] = value;
  }
  if (overwrite.initial_bases_size() > 0) {
    if (next->newest != nullptr) {
      return UserError("base paths can be given when a table is created only; use add_bases");
    }
    ARROW_RETURN_NOT_OK(RegisterInitialBases(overwrite, manifest.head.mutable_base_paths()));
  }
  std::vector<table::DataFragment> fragments(overwrite.fragments().begin(),
                                             overwrite.fragments().end());
  // Ids of their own would mean the fragments of the replaced version.
  for (auto& fragment : fragments) fragment.set_id(0);
  return AddNewFragments(std::move(fragments), {}, next).status();
}

}  // namespace lance
