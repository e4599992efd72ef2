#include "table/manifest_names.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace lance {
namespace {

constexpr std::string_view kSuffix = ".manifest";
constexpr size_t kV2Digits = 20;
constexpr std::string_view kHintName = "latest_version_hint.json";

std::optional<uint64_t> ParseNumber(std::string_view digits) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::string_view BaseName(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Ascending; of a version that has a name of each scheme, the one of the newer scheme.
void SortByVersion(std::vector<ManifestLocation>* locations) {
  auto order = [](const ManifestLocation& location) {
    return std::pair(location.version, location.naming == ManifestNaming::kV1);
  };
  std::sort(locations->begin(), locations->end(),
            [&](const auto& a, const auto& b) { return order(a) < order(b); });
  auto is_same = [](const auto& a, const auto& b) { return a.version == b.version; };
  locations->erase(std::unique(locations->begin(), locations->end(), is_same), locations->end());
}

}  // namespace

std::string VersionsFolder(std::string_view root) { return std::string(root) + "/_versions"; }

std::string ManifestFileName(uint64_t version, ManifestNaming naming) {
  if ((version & kDetachedBit) != 0) return "d" + std::to_string(version) + std::string(kSuffix);
  if (naming == ManifestNaming::kV1) return std::to_string(version) + std::string(kSuffix);
  std::string digits = std::to_string(std::numeric_limits<uint64_t>::max() - version);
  return std::string(kV2Digits - digits.size(), '0') + digits + std::string(kSuffix);
}

std::string ManifestPath(std::string_view root, uint64_t version, ManifestNaming naming) {
  return VersionsFolder(root) + "/" + ManifestFileName(version, naming);
}

std::optional<ParsedManifestName> ParseManifestName(std::string_view name) {
  if (!name.ends_with(kSuffix)) return std::nullopt;
  std::string_view digits = name.substr(0, name.size() - kSuffix.size());
  auto number = ParseNumber(digits);
  if (!number) return std::nullopt;
  if (digits.size() == kV2Digits) {
    return ParsedManifestName{std::numeric_limits<uint64_t>::max() - *number, ManifestNaming::kV2};
  }
  return ParsedManifestName{*number, ManifestNaming::kV1};
}

Result<std::vector<ManifestLocation>> ListVersionsAfter(const Context& context, ObjectStore& store,
                                                        std::string_view root, uint64_t version) {
  std::vector<ManifestLocation> locations;
  ARROW_RETURN_NOT_OK(store.VisitNames(context, VersionsFolder(root), [&](std::string_view name) {
    auto parsed = ParseManifestName(name);
    if (!parsed) return;
    if (parsed->version > version) {
      locations.push_back({parsed->version, parsed->naming,
                           ManifestPath(root, parsed->version, parsed->naming), 0});
    }
  }));
  SortByVersion(&locations);
  return locations;
}

Result<std::vector<ManifestLocation>> ListVersions(const Context& context, ObjectStore& store,
                                                   std::string_view root) {
  ARROW_ASSIGN_OR_RAISE(auto objects, store.List(context, VersionsFolder(root)));
  std::vector<ManifestLocation> locations;
  for (const ObjectInfo& object : objects) {
    auto parsed = ParseManifestName(BaseName(object.path));
    if (!parsed) continue;
    locations.push_back({parsed->version, parsed->naming, object.path, object.size});
  }
  SortByVersion(&locations);
  return locations;
}

Result<std::optional<ManifestLocation>> FindLatestVersion(const Context& context,
                                                          ObjectStore& store,
                                                          std::string_view root) {
  std::optional<ParsedManifestName> newest;
  ARROW_RETURN_NOT_OK(store.VisitNames(context, VersionsFolder(root), [&](std::string_view name) {
    auto parsed = ParseManifestName(name);
    if (!parsed) return;
    if (!newest || parsed->version > newest->version ||
        (parsed->version == newest->version && parsed->naming == ManifestNaming::kV2)) {
      newest = parsed;
    }
  }));
  if (!newest) return std::nullopt;
  return ManifestLocation{newest->version, newest->naming,
                          ManifestPath(root, newest->version, newest->naming), 0};
}

Result<ManifestNaming> FindNaming(const Context& context, ObjectStore& store,
                                  std::string_view root) {
  std::optional<ManifestNaming> found;
  ARROW_RETURN_NOT_OK(store.VisitNames(context, VersionsFolder(root), [&](std::string_view name) {
    auto parsed = ParseManifestName(name);
    if (parsed && found != ManifestNaming::kV2) found = parsed->naming;
  }));
  return found.value_or(ManifestNaming::kV2);
}

void WriteVersionHint(const Context& context, ObjectStore& store, std::string_view root,
                      uint64_t version) {
  if (store.HasLexicalListing() || (version & kDetachedBit) != 0) return;
  std::string text = "{\"version\":" + std::to_string(version) + "}";
  // Whatever goes wrong here, the commit stands.
  (void)store.Put(context, VersionsFolder(root) + "/" + std::string(kHintName), AsBytes(text));
}

}  // namespace lance
