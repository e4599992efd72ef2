#include <algorithm>
#include <map>
#include <set>

#include "table/apply_operation.h"
#include "table/live_files.h"
#include "table/new_fragments.h"
#include "table/version_sequence.h"

namespace lance {
namespace {

bool SameFields(const table::DataFile& a, const table::DataFile& b) {
  return std::equal(a.fields().begin(), a.fields().end(), b.fields().begin(), b.fields().end());
}

/// Whether a file is replaced as a whole: the same fields in a file of the same version.
bool IsReplacedBy(const table::DataFile& old_file, const table::DataFile& new_file) {
  return SameFields(old_file, new_file) &&
         old_file.file_major_version() == new_file.file_major_version() &&
         old_file.file_minor_version() == new_file.file_minor_version();
}

void Replace(const table::DataFile& new_file, table::DataFragment* fragment) {
  for (auto& file : *fragment->mutable_files()) {
    if (!IsReplacedBy(file, new_file)) continue;
    file = new_file;
    return;
  }
  BuryFields({new_file.fields().begin(), new_file.fields().end()}, fragment);
  *fragment->add_files() = new_file;
}

}  // namespace

Status ApplyDataReplacement(const table::Transaction::DataReplacement& replacement,
                            NextVersion* next) {
  std::map<uint64_t, table::DataFragment> changed;
  std::set<int32_t> fields;
  for (const auto& group : replacement.replacements()) {
    const auto& new_file = group.new_file();
    if (!SameFields(new_file, replacement.replacements(0).new_file())) {
      return UserError("all files of a data replacement must hold the same fields");
    }
    ARROW_RETURN_NOT_OK(CheckDataFile(new_file, next));
    const FragmentSummary* summary = next->manifest.FindFragment(group.fragment_id());
    if (summary == nullptr) {
      return UserError("table has no fragment ", group.fragment_id(), " to replace data of");
    }
    auto [at, is_new] = changed.try_emplace(group.fragment_id());
    if (is_new) {
      ARROW_ASSIGN_OR_RAISE(at->second, ParseFragment(*summary));
    }
    Replace(new_file, &at->second);
    fields.insert(new_file.fields().begin(), new_file.fields().end());
  }
  std::vector<table::DataFragment> fragments;
  std::set<uint64_t> ids;
  for (auto& [id, fragment] : changed) {
    if (next->stable_row_ids) {
      fragment.set_inline_last_updated_at_versions(
          VersionSequence::Uniform(next->manifest.version(), fragment.physical_rows()).Encode());
    }
    fragments.push_back(std::move(fragment));
    ids.insert(id);
  }
  ARROW_RETURN_NOT_OK(next->manifest.ReplaceFragments(fragments));
  if (!next->indexes.Encode()) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, next->indexes.Edit());
  return PruneCoverage(ids, fields, next->manifest, entries);
}

}  // namespace lance
