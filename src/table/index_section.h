#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "table.pb.h"
#include "table/manifest.h"

namespace lance {

using IndexEntries = google::protobuf::RepeatedPtrField<table::IndexMetadata>;

/// The index entries of a version, decoded when first changed: untouched ones go into the next
/// version as the bytes they were. Fields of entries that this code doesn't know survive changes.
class IndexSection {
 public:
  IndexSection() = default;
  explicit IndexSection(std::optional<std::string> bytes) : bytes_(std::move(bytes)) {}

  /// For changing.
  Result<IndexEntries*> Edit();
  void Clear();

  /// Nothing if there are no entries.
  std::optional<std::string> Encode() const;
  /// Whether an entry has covering columns; nothing while the bytes were not looked at.
  std::optional<bool> has_covering_fields() const;

 private:
  std::optional<std::string> bytes_;
  /// Replaces bytes_.
  std::optional<table::IndexSection> entries_;
};

/// Takes fragments of a version out of the coverage of indexes on one of the fields, or on one
/// above them, whose values have changed.
Status PruneCoverage(const std::set<uint64_t>& fragments, const std::set<int32_t>& fields,
                     const Manifest& manifest, IndexEntries* entries);

/// Drops what has become useless (spec/table-format.md §7.8 †): entries on fields that are not in
/// the schema, and segments that cover no fragment any more, but for the earliest of an index.
Status DropDeadIndexes(const Manifest& manifest, IndexEntries* entries);

/// Rows moved by an update keep their ids: indexes that hold row ids and cover all `sources` cover
/// `moved` too, unless one of their fields is in `changed_fields`.
Status CoverMovedRows(const std::set<uint64_t>& sources, const std::set<uint64_t>& moved,
                      const std::set<int32_t>& changed_fields, IndexEntries* entries);

/// Fragments that were replaced by others with the same rows.
struct ReplacedFragments {
  std::set<uint64_t> old_ids;
  std::set<uint64_t> new_ids;
};
/// Where indexes that keep their meaning through a compaction covered old fragments they cover the
/// new ones, others lose the coverage. `remapped` has the uuids of entries written anew for it.
Status ReplaceCoverage(const std::vector<ReplacedFragments>& groups, bool stable_row_ids,
                       const std::set<std::string>& remapped, IndexEntries* entries);

/// Whether entries hold row addresses, in a table with stable row ids or without.
bool HoldsRowAddresses(const table::IndexMetadata& entry, bool stable_row_ids);
/// Whether an index knows ranges of rows instead of rows. Such an index can't be rewritten for rows
/// that have moved: it does not cover them any more.
bool HoldsZones(const table::IndexMetadata& entry);

}  // namespace lance
