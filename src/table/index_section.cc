#include "table/index_section.h"

#include <algorithm>
#include <map>

#include "proto/parse.h"
#include "table/fragment_bitmap.h"
#include "table/system_index.h"

namespace lance {
namespace {

using table::IndexMetadata;

bool IsOn(const IndexMetadata& entry, const std::set<int32_t>& fields) {
  auto wanted = [&](int32_t id) { return fields.contains(id); };
  return std::any_of(entry.fields().begin(), entry.fields().end(), wanted) ||
         std::any_of(entry.covering_fields().begin(), entry.covering_fields().end(), wanted);
}

void RemoveIf(IndexEntries* entries, const auto& is_dead) {
  for (int i = entries->size() - 1; i >= 0; --i) {
    if (is_dead(entries->Get(i))) entries->DeleteSubrange(i, 1);
  }
}

/// Only a history of row moves that still may be needed has tags.
bool HasTaggedHistory(const IndexEntries& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const IndexMetadata& entry) {
    return entry.name() == kFragmentReuseIndexName && entry.index_version() >= 1;
  });
}

bool FieldsExist(const IndexMetadata& entry, const Schema& schema) {
  return std::all_of(entry.fields().begin(), entry.fields().end(),
                     [&](int32_t id) { return schema.FindById(id) != nullptr; });
}

Result<bool> CoversNothing(const IndexMetadata& entry, const Manifest& manifest) {
  ARROW_ASSIGN_OR_RAISE(auto covered, DecodeFragmentBitmap(entry.fragment_bitmap()));
  if (!covered) return false;
  return std::none_of(manifest.fragments.begin(), manifest.fragments.end(),
                      [&](const FragmentSummary& fragment) {
                        return covered->contains(static_cast<uint32_t>(fragment.id));
                      });
}

bool IsEarlier(const IndexMetadata& a, const IndexMetadata& b) {
  if (a.created_at() != b.created_at()) return a.created_at() < b.created_at();
  return a.dataset_version() < b.dataset_version();
}

/// The segments of an index that cover nothing, but for the earliest when all do.
Result<std::set<std::string>> EmptySegments(const std::vector<const IndexMetadata*>& segments,
                                            const Manifest& manifest) {
  std::set<std::string> empty;
  if (segments.size() < 2) return empty;
  for (const IndexMetadata* segment : segments) {
    ARROW_ASSIGN_OR_RAISE(bool nothing, CoversNothing(*segment, manifest));
    if (nothing) empty.insert(segment->uuid().uuid());
  }
  if (empty.size() == segments.size()) {
    const IndexMetadata* first = *std::min_element(
        segments.begin(), segments.end(),
        [](const IndexMetadata* a, const IndexMetadata* b) { return IsEarlier(*a, *b); });
    empty.erase(first->uuid().uuid());
  }
  return empty;
}

void AddIds(const std::set<uint64_t>& ids, RoaringBitmap* bitmap) {
  for (uint64_t id : ids) bitmap->add(static_cast<uint32_t>(id));
}

size_t CountCovered(const std::set<uint64_t>& ids, const RoaringBitmap& bitmap) {
  return static_cast<size_t>(std::count_if(ids.begin(), ids.end(), [&](uint64_t id) {
    return bitmap.contains(static_cast<uint32_t>(id));
  }));
}

bool HasReuseIndex(const IndexEntries& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const IndexMetadata& entry) {
    return entry.name() == kFragmentReuseIndexName;
  });
}

/// By a reuse index, a fragment that is gone stands for those that have its rows now.
void RemoveDead(const Manifest& manifest, RoaringBitmap* covered) {
  RoaringBitmap live;
  for (const FragmentSummary& fragment : manifest.fragments) {
    live.add(static_cast<uint32_t>(fragment.id));
  }
  *covered &= live;
}

/// Adds the fields that are above one of `fields`. True if this one is or has one of them.
bool AddParents(const Field& field, std::set<int32_t>* fields) {
  bool changed = fields->contains(field.id);
  for (const Field& child : field.children) changed = AddParents(child, fields) || changed;
  if (changed) fields->insert(field.id);
  return changed;
}

/// `/lance.table.BTreeIndexDetails` and the like, compared by what comes last, in any case.
bool IsOfType(const IndexMetadata& entry, std::string_view type) {
  std::string_view url = entry.index_details().type_url();
  url = url.substr(url.rfind('.') + 1);
  return std::equal(url.begin(), url.end(), type.begin(), type.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

}  // namespace

Result<IndexEntries*> IndexSection::Edit() {
  if (!entries_) {
    table::IndexSection section;
    if (bytes_ && !ParseMessage(*bytes_, &section)) {
      return Corrupt("index section is not a valid message of ", bytes_->size(), " bytes");
    }
    entries_ = std::move(section);
  }
  return entries_->mutable_indices();
}

void IndexSection::Clear() {
  bytes_.reset();
  entries_.emplace();
}

std::optional<std::string> IndexSection::Encode() const {
  if (!entries_) return bytes_;
  if (entries_->indices().empty()) return std::nullopt;
  return entries_->SerializeAsString();
}

std::optional<bool> IndexSection::has_covering_fields() const {
  if (!entries_) return std::nullopt;
  return std::any_of(entries_->indices().begin(), entries_->indices().end(),
                     [](const IndexMetadata& entry) { return entry.covering_fields_size() > 0; });
}

Status PruneCoverage(const std::set<uint64_t>& fragments, const std::set<int32_t>& fields,
                     const Manifest& manifest, IndexEntries* entries) {
  std::set<int32_t> changed = fields;
  for (const Field& field : manifest.schema.fields) AddParents(field, &changed);
  const bool has_reuse_index = HasReuseIndex(*entries);
  for (IndexMetadata& entry : *entries) {
    if (!IsOn(entry, changed)) continue;
    ARROW_ASSIGN_OR_RAISE(auto covered, DecodeFragmentBitmap(entry.fragment_bitmap()));
    if (!covered) continue;
    const RoaringBitmap before = *covered;
    if (has_reuse_index && CountCovered(fragments, before) != fragments.size()) {
      RemoveDead(manifest, &*covered);
    }
    for (uint64_t id : fragments) covered->remove(static_cast<uint32_t>(id));
    if (!(*covered == before)) entry.set_fragment_bitmap(EncodeBitmap(*covered));
  }
  return Status::OK();
}

Status DropDeadIndexes(const Manifest& manifest, IndexEntries* entries) {
  if (HasTaggedHistory(*entries)) return Status::OK();
  RemoveIf(entries,
           [&](const IndexMetadata& entry) { return !FieldsExist(entry, manifest.schema); });
  std::map<std::string, std::vector<const IndexMetadata*>> by_name;
  for (const IndexMetadata& entry : *entries) {
    if (!IsSystemIndex(entry.name())) by_name[entry.name()].push_back(&entry);
  }
  std::set<std::string> dead;
  // What is gone may stand for fragments that are there.
  if (HasReuseIndex(*entries)) by_name.clear();
  for (const auto& [name, segments] : by_name) {
    ARROW_ASSIGN_OR_RAISE(auto empty, EmptySegments(segments, manifest));
    dead.merge(empty);
  }
  RemoveIf(entries, [&](const IndexMetadata& entry) { return dead.contains(entry.uuid().uuid()); });
  return Status::OK();
}

Status CoverMovedRows(const std::set<uint64_t>& sources, const std::set<uint64_t>& moved,
                      const std::set<int32_t>& changed_fields, IndexEntries* entries) {
  if (sources.empty() || moved.empty()) return Status::OK();
  for (IndexMetadata& entry : *entries) {
    if (IsSystemIndex(entry.name()) || HoldsRowAddresses(entry, /*stable_row_ids=*/true) ||
        IsOn(entry, changed_fields)) {
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto covered, DecodeFragmentBitmap(entry.fragment_bitmap()));
    if (!covered || CountCovered(sources, *covered) != sources.size()) continue;
    AddIds(moved, &*covered);
    entry.set_fragment_bitmap(EncodeBitmap(*covered));
  }
  return Status::OK();
}

Status ReplaceCoverage(const std::vector<ReplacedFragments>& groups, bool stable_row_ids,
                       const std::set<std::string>& remapped, IndexEntries* entries) {
  for (IndexMetadata& entry : *entries) {
    if (IsSystemIndex(entry.name())) continue;
    ARROW_ASSIGN_OR_RAISE(auto covered, DecodeFragmentBitmap(entry.fragment_bitmap()));
    if (!covered) continue;
    bool keeps_meaning =
        remapped.contains(entry.uuid().uuid()) || !HoldsRowAddresses(entry, stable_row_ids);
    bool changed = false;
    for (const ReplacedFragments& group : groups) {
      size_t count = CountCovered(group.old_ids, *covered);
      if (count == 0) continue;
      if (keeps_meaning && count != group.old_ids.size()) {
        return UserError("index '", entry.name(),
                         "' covers some but not all of the fragments compacted into one");
      }
      for (uint64_t id : group.old_ids) covered->remove(static_cast<uint32_t>(id));
      if (keeps_meaning) AddIds(group.new_ids, &*covered);
      changed = true;
    }
    if (changed) entry.set_fragment_bitmap(EncodeBitmap(*covered));
  }
  return Status::OK();
}

bool HoldsRowAddresses(const IndexMetadata& entry, bool stable_row_ids) {
  if (!stable_row_ids) return true;
  return HoldsZones(entry) || (IsOfType(entry, "BTreeIndexDetails") && entry.index_version() >= 1);
}

bool HoldsZones(const IndexMetadata& entry) {
  return IsOfType(entry, "ZoneMapIndexDetails") || IsOfType(entry, "BloomFilterIndexDetails");
}

}  // namespace lance
