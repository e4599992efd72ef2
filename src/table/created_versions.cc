#include "table/created_versions.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace lance {
namespace {

/// Rows of tables that kept no versions count as made by the first one.
constexpr uint64_t kUnknownVersion = 1;
constexpr uint64_t kNotFound = 0;
constexpr uint64_t kChunk = 4096;

/// The wanted ids in ascending order, with the place of each.
struct Wanted {
  std::vector<uint64_t> ids;
  std::vector<size_t> places;
};

Wanted SortIds(const RowIdSequence& sequence, uint64_t count) {
  std::vector<uint64_t> ids(count);
  sequence.Read(0, ids);
  Wanted wanted;
  wanted.places.resize(count);
  std::iota(wanted.places.begin(), wanted.places.end(), size_t{0});
  std::sort(wanted.places.begin(), wanted.places.end(),
            [&](size_t a, size_t b) { return ids[a] < ids[b]; });
  for (size_t place : wanted.places) wanted.ids.push_back(ids[place]);
  return wanted;
}

/// Looks the wanted ids up among the rows of one fragment.
Status LookUp(const table::DataFragment& fragment, const Wanted& wanted,
              std::vector<uint64_t>* created) {
  if (fragment.has_column_row_ids() || fragment.has_column_created_at_versions()) {
    return UserError("rows moved out of fragment ", fragment.id(),
                     ", whose row lineage is stored in a data file, must bring their versions");
  }
  ARROW_ASSIGN_OR_RAISE(auto ids, RowIdSequence::Decode(AsBytes(fragment.inline_row_ids())));
  VersionSequence versions = VersionSequence::Uniform(kUnknownVersion, ids.size());
  if (fragment.has_inline_created_at_versions()) {
    ARROW_ASSIGN_OR_RAISE(versions,
                          VersionSequence::Decode(AsBytes(fragment.inline_created_at_versions())));
  }
  if (versions.size() != ids.size() || ids.size() != fragment.physical_rows()) {
    return Corrupt("fragment ", fragment.id(), " has versions for ", versions.size(),
                   " rows and ids for ", ids.size(), ", expected ", fragment.physical_rows());
  }
  std::vector<uint64_t> id_chunk(kChunk);
  std::vector<uint64_t> version_chunk(kChunk);
  for (uint64_t at = 0; at < ids.size(); at += kChunk) {
    uint64_t count = std::min(kChunk, ids.size() - at);
    ids.Read(at, std::span(id_chunk).first(count));
    versions.Read(at, std::span(version_chunk).first(count));
    for (uint64_t i = 0; i < count; ++i) {
      auto found = std::lower_bound(wanted.ids.begin(), wanted.ids.end(), id_chunk[i]);
      if (found == wanted.ids.end() || *found != id_chunk[i]) continue;
      (*created)[wanted.places[static_cast<size_t>(found - wanted.ids.begin())]] = version_chunk[i];
    }
  }
  return Status::OK();
}

}  // namespace

Result<VersionSequence> CreatedVersionsOf(const Manifest& manifest,
                                          const std::set<uint64_t>& sources,
                                          const RowIdSequence& ids, uint64_t moved,
                                          uint64_t version) {
  Wanted wanted = SortIds(ids, moved);
  std::vector<uint64_t> created(moved, kNotFound);
  for (uint64_t id : sources) {
    const FragmentSummary* summary = manifest.FindFragment(id);
    if (summary == nullptr) continue;
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(*summary));
    ARROW_RETURN_NOT_OK(LookUp(fragment, wanted, &created));
  }
  auto missing = std::find(created.begin(), created.end(), kNotFound);
  if (missing != created.end()) {
    std::vector<uint64_t> id(1);
    ids.Read(static_cast<uint64_t>(missing - created.begin()), id);
    return UserError("row id ", id[0], " of a moved row is in none of the fragments updated");
  }
  created.resize(ids.size(), version);
  return VersionSequence::FromValues(created);
}

}  // namespace lance
