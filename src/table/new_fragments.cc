#include "table/new_fragments.h"

#include <limits>

#include "table/base_paths.h"
#include "table/created_versions.h"
#include "table/row_id_sequence.h"
#include "table/row_words.h"
#include "table/version_sequence.h"

namespace lance {
namespace {

/// Whether files of `version` may be in a table whose own version is `table_version`.
bool Mixes(FileVersion version, FileVersion table_version) {
  return version == table_version ||
         (version != FileVersion::kV0_1 && table_version != FileVersion::kV0_1);
}

Status CheckNewFragment(const table::DataFragment& fragment, NextVersion* next) {
  if (fragment.physical_rows() == 0) return UserError("new fragment has no rows");
  if (fragment.physical_rows() > kMaxFragmentRows) {
    return UserError("new fragment has more than 2^32 rows: ", fragment.physical_rows(),
                     "; write smaller files");
  }
  for (const auto& file : fragment.files()) ARROW_RETURN_NOT_OK(CheckDataFile(file, next));
  return Status::OK();
}

/// Gives ids to fragments that have none (that is, 0).
Status AssignFragmentIds(std::vector<table::DataFragment>* fragments, NextVersion* next) {
  std::optional<uint32_t> max;
  if (next->newest != nullptr) max = next->newest->max_fragment_id();
  // Another operation of this version may have raised it.
  if (next->manifest.head.has_max_fragment_id()) {
    max = std::max(max.value_or(0), next->manifest.head.max_fragment_id());
  }
  uint64_t next_id = max ? uint64_t{*max} + 1 : 0;
  for (auto& fragment : *fragments) {
    if (fragment.id() != 0) {
      next_id = std::max(next_id, fragment.id() + 1);
      continue;
    }
    fragment.set_id(next_id++);
  }
  if (next_id > uint64_t{std::numeric_limits<uint32_t>::max()} + 1) {
    return Unsupported("table has given out all of its 2^32 fragment ids");
  }
  if (next_id > 0) next->manifest.head.set_max_fragment_id(static_cast<uint32_t>(next_id - 1));
  return Status::OK();
}

/// Completes the row ids of a fragment, and says how many it brought.
Result<uint64_t> CompleteRowIds(table::DataFragment* fragment, RowIdSequence* ids,
                                Manifest* manifest) {
  uint64_t rows = fragment->physical_rows();
  if (fragment->has_inline_row_ids()) {
    ARROW_ASSIGN_OR_RAISE(*ids, RowIdSequence::Decode(AsBytes(fragment->inline_row_ids())));
  }
  uint64_t brought = ids->size();
  if (brought > rows) {
    return UserError("new fragment has more row ids than rows: ", brought, " for ", rows);
  }
  if (brought == rows) return brought;
  uint64_t next = manifest->head.next_row_id();
  if (rows - brought > std::numeric_limits<uint64_t>::max() - next) {
    return Corrupt("next row id of the table leaves no room for ", rows, " rows: ", next);
  }
  ids->AppendRange(next, rows - brought);
  fragment->set_inline_row_ids(ids->Encode());
  manifest->head.set_next_row_id(next + rows - brought);
  return brought;
}

Status AssignLineage(const std::set<uint64_t>& sources, std::vector<table::DataFragment>* fragments,
                     NextVersion* next) {
  uint64_t version = next->manifest.version();
  for (auto& fragment : *fragments) {
    if (fragment.has_column_row_ids()) continue;  // brings everything
    RowIdSequence ids;
    ARROW_ASSIGN_OR_RAISE(uint64_t moved, CompleteRowIds(&fragment, &ids, &next->manifest));
    uint64_t rows = fragment.physical_rows();
    bool brings_versions =
        fragment.has_inline_created_at_versions() && fragment.has_inline_last_updated_at_versions();
    if (moved == rows && brings_versions) continue;  // compacted
    std::string uniform = VersionSequence::Uniform(version, rows).Encode();
    fragment.set_inline_last_updated_at_versions(uniform);
    if (moved == 0) {
      fragment.set_inline_created_at_versions(uniform);
    } else if (!fragment.has_inline_created_at_versions()) {
      ARROW_ASSIGN_OR_RAISE(auto created,
                            CreatedVersionsOf(*next->newest, sources, ids, moved, version));
      fragment.set_inline_created_at_versions(created.Encode());
    }
  }
  return Status::OK();
}

}  // namespace

Status CheckDataFile(const table::DataFile& file, NextVersion* next) {
  ARROW_ASSIGN_OR_RAISE(FileVersion version, FileVersionFromNumbers(file.file_major_version(),
                                                                    file.file_minor_version()));
  if (!Mixes(version, next->data_version)) {
    return UserError("cannot append data files of version ", FileVersionName(version),
                     " to a table of version ", FileVersionName(next->data_version),
                     ": V1 and V2 storage versions cannot be mixed");
  }
  if (version != next->data_version) next->mixes_file_versions = true;
  if (file.has_base_id() &&
      FindBasePath(next->manifest.head.base_paths(), file.base_id()) == nullptr) {
    return UserError("data file '", file.path(), "' lies in base path ", file.base_id(),
                     ", which the table lacks");
  }
  return Status::OK();
}

Result<std::vector<table::DataFragment>> AddNewFragments(std::vector<table::DataFragment> fragments,
                                                         const std::set<uint64_t>& sources,
                                                         NextVersion* next) {
  for (const auto& fragment : fragments) ARROW_RETURN_NOT_OK(CheckNewFragment(fragment, next));
  ARROW_RETURN_NOT_OK(AssignFragmentIds(&fragments, next));
  if (next->stable_row_ids) ARROW_RETURN_NOT_OK(AssignLineage(sources, &fragments, next));
  ARROW_RETURN_NOT_OK(next->manifest.AddFragments(fragments));
  return fragments;
}

}  // namespace lance
