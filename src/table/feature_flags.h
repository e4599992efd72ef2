#pragma once

#include <cstdint>

#include "base/error.h"
#include "table/manifest.h"

namespace lance {

/// Bits of the reader and writer words of a manifest (spec/table-format.md §4).
namespace feature_flag {
constexpr uint64_t kDeletionFiles = 1ull << 0;
constexpr uint64_t kStableRowIds = 1ull << 1;
constexpr uint64_t kV2FileFormat = 1ull << 2;  ///< no longer set
constexpr uint64_t kTableConfig = 1ull << 3;   ///< writer word only
constexpr uint64_t kBasePaths = 1ull << 4;
constexpr uint64_t kNoTransactionFiles = 1ull << 5;  ///< writer word only
constexpr uint64_t kDataOverlays = 1ull << 6;
constexpr uint64_t kCoveringIndexColumns = 1ull << 7;
constexpr uint64_t kMixedFileVersions = 1ull << 8;
constexpr uint64_t kStableRowIdsWithReuseIndex = 1ull << 9;
constexpr uint64_t kTaggedReuseHistory = 1ull << 10;
constexpr uint64_t kSpilledRowLineage = 1ull << 11;
constexpr uint64_t kFragmentTree = 1ull << 12;
constexpr uint64_t kIndependentCoveringFields = 1ull << 13;
constexpr uint64_t kManagedBlobs = 1ull << 14;
constexpr uint64_t kNonReusableFieldIds = 1ull << 15;  ///< writer word only
constexpr uint64_t kZoneWriteSeeds = 1ull << 16;
constexpr uint64_t kObjectMetadata = 1ull << 17;  ///< writer word only
/// FLAG_SEMANTIC_TYPES: logical types name what columns mean, not how they are laid out
/// (docs/semantic-types.md). No bit has been assigned to it by the specification yet.
constexpr uint64_t kSemanticTypes = 1ull << 48;
}  // namespace feature_flag

/// Unsupported, with the features named, unless every bit of the reader word is known here. Also
/// checks the rules between the two words.
Status CheckReadable(const Manifest& manifest);
/// The same for the writer word: to be asked before anything is written on top of the manifest.
Status CheckWritable(const Manifest& manifest);

/// What the words of a manifest depend on beside its contents.
struct FeatureFlagSources {
  /// The version that the manifest builds on; null for a new table.
  const Manifest* previous = nullptr;
  /// Whether an index entry has covering columns.
  bool has_covering_indexes = false;
  bool stable_row_ids = false;
  /// Whether it adds data files of another version than the table's.
  bool mixes_file_versions = false;
  bool semantic_types = false;
};

/// Recomputes both words of a manifest that is about to be committed.
void SetFeatureFlags(const FeatureFlagSources& sources, Manifest* manifest);

}  // namespace lance
