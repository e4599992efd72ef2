#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.h"
#include "io/object_store.h"

namespace lance {

/// How the manifests of a table are named. A table uses one scheme only, except while its manifests
/// are renamed, or when that was interrupted.
enum class ManifestNaming : uint8_t {
  kV1,  ///< `{version}.manifest`
  kV2,  ///< `{2^64 - 1 - version, 20 digits}.manifest`: newest first in lexical order
};

/// Versions with bit 63 set are detached: commits outside the history, named `d{version}.manifest`.
constexpr uint64_t kDetachedBit = 1ull << 63;

struct ManifestLocation {
  uint64_t version = 0;
  ManifestNaming naming = ManifestNaming::kV2;
  std::string path;
  /// 0: unknown.
  uint64_t size = 0;
};

std::string VersionsFolder(std::string_view root);
std::string ManifestFileName(uint64_t version, ManifestNaming naming);
std::string ManifestPath(std::string_view root, uint64_t version, ManifestNaming naming);

struct ParsedManifestName {
  uint64_t version = 0;
  ManifestNaming naming = ManifestNaming::kV2;
};
/// Nothing for names of other files and of detached versions.
std::optional<ParsedManifestName> ParseManifestName(std::string_view name);

/// All versions in the history, ascending; empty when there is no table.
Result<std::vector<ManifestLocation>> ListVersions(const Context& context, ObjectStore& store,
                                                   std::string_view root);
/// Those after one, for which alone there is any work but to look at their names.
Result<std::vector<ManifestLocation>> ListVersionsAfter(const Context& context, ObjectStore& store,
                                                        std::string_view root, uint64_t version);
/// The newest version, or nothing when there is no table. Likewise.
Result<std::optional<ManifestLocation>> FindLatestVersion(const Context& context,
                                                          ObjectStore& store,
                                                          std::string_view root);

/// The scheme for further manifests: the newer one if any manifest has it, or there is none.
Result<ManifestNaming> FindNaming(const Context& context, ObjectStore& store,
                                  std::string_view root);

/// Notes the newest version in `latest_version_hint.json`, for stores without lexical listing. Best
/// effort: readers never rely on it.
void WriteVersionHint(const Context& context, ObjectStore& store, std::string_view root,
                      uint64_t version);

}  // namespace lance
