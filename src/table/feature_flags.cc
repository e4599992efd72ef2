#include "table/feature_flags.h"

#include <array>
#include <string>

namespace lance {
namespace {

using namespace feature_flag;  // NOLINT: the names are this file's subject.

constexpr uint64_t kReadable = kDeletionFiles | kStableRowIds | kV2FileFormat | kTableConfig |
                               kBasePaths | kNoTransactionFiles | kCoveringIndexColumns |
                               kMixedFileVersions | kTaggedReuseHistory | kSpilledRowLineage |
                               kManagedBlobs | kSemanticTypes;
// Managed blobs are left out: every value written would need a blob object of its own.
constexpr uint64_t kWritable = (kReadable & ~kManagedBlobs) | kNonReusableFieldIds;

/// Must be equal in both words.
constexpr uint64_t kPaired =
    kMixedFileVersions | kTaggedReuseHistory | kManagedBlobs | kZoneWriteSeeds | kSemanticTypes;

constexpr int kSemanticTypesBit = 48;
static_assert(kSemanticTypes == 1ull << kSemanticTypesBit);

constexpr std::array<const char*, 18> kNames = {
    "deletion files",
    "stable row ids",
    "V2 file format",
    "table config",
    "base paths",
    "no transaction files",
    "data overlay files",
    "covering index columns",
    "mixed data file versions",
    "stable row ids with a fragment reuse index",
    "tagged fragment reuse history",
    "spilled row lineage",
    "fragment tree",
    "independent covering fields",
    "managed blobs",
    "non-reusable field ids",
    "zone-level write seeds",
    "object metadata",
};

const char* NameOf(int bit) {
  if (static_cast<size_t>(bit) < kNames.size()) return kNames[static_cast<size_t>(bit)];
  return bit == kSemanticTypesBit ? "semantic types" : nullptr;
}

std::string NamesOf(uint64_t bits) {
  std::string names;
  for (int bit = 0; bit < 64; ++bit) {
    if (((bits >> bit) & 1) == 0) continue;
    if (!names.empty()) names += ", ";
    names += "bit " + std::to_string(bit);
    if (const char* name = NameOf(bit)) names += " (" + std::string(name) + ")";
  }
  return names;
}

Status CheckPairs(const Manifest& manifest) {
  uint64_t reader = manifest.head.reader_feature_flags();
  uint64_t writer = manifest.head.writer_feature_flags();
  if (uint64_t unpaired = (reader ^ writer) & kPaired; unpaired != 0) {
    return Corrupt("feature flags must be set for readers and writers alike: ", NamesOf(unpaired));
  }
  bool has_id_limit = manifest.head.has_max_allocated_field_id();
  if ((reader & kNonReusableFieldIds) != 0 ||
      ((writer & kNonReusableFieldIds) != 0) != has_id_limit) {
    return Corrupt("feature flag and limit of non-reusable field ids don't agree");
  }
  return Status::OK();
}

}  // namespace

Status CheckReadable(const Manifest& manifest) {
  if (uint64_t unknown = manifest.head.reader_feature_flags() & ~kReadable; unknown != 0) {
    return Unsupported("reading this table needs features that this version of lance-cpp lacks: ",
                       NamesOf(unknown));
  }
  return CheckPairs(manifest);
}

Status CheckWritable(const Manifest& manifest) {
  ARROW_RETURN_NOT_OK(CheckReadable(manifest));
  uint64_t unknown = (manifest.head.writer_feature_flags() & ~kWritable) |
                     (manifest.head.reader_feature_flags() & ~kWritable);
  if (unknown == 0) return Status::OK();
  return Unsupported("writing to this table needs features that this version of lance-cpp lacks: ",
                     NamesOf(unknown));
}

void SetFeatureFlags(const FeatureFlagSources& sources, Manifest* manifest) {
  uint64_t both = 0;
  for (const FragmentSummary& fragment : manifest->fragments) {
    if (fragment.has_deletion_file) both |= kDeletionFiles;
    if (fragment.has_spilled_lineage) both |= kSpilledRowLineage;
  }
  if (sources.stable_row_ids) both |= kStableRowIds;
  if (sources.mixes_file_versions) both |= kMixedFileVersions;
  if (sources.has_covering_indexes) both |= kCoveringIndexColumns;
  if (sources.semantic_types) both |= kSemanticTypes;
  if (manifest->head.base_paths_size() > 0) both |= kBasePaths;
  uint64_t writer_only = 0;
  if (manifest->head.config_size() > 0) writer_only |= kTableConfig;
  if (const Manifest* previous = sources.previous; previous != nullptr) {
    uint64_t before = previous->head.reader_feature_flags();
    both |= before & kPaired;
    writer_only |= previous->head.writer_feature_flags() & kNonReusableFieldIds;
  }
  manifest->head.set_reader_feature_flags(both);
  manifest->head.set_writer_feature_flags(both | writer_only);
}

}  // namespace lance
