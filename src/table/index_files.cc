#include "table/index_files.h"

#include "table/base_paths.h"

namespace lance {

std::string IndexesFolder(std::string_view root) { return std::string(root) + "/_indices"; }

std::string UuidText(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text.push_back('-');
    auto byte = static_cast<unsigned char>(bytes[i]);
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

Result<StoreLocation> LocateIndexFolder(const TableLocation& table, const Manifest& manifest,
                                        const table::IndexMetadata& entry) {
  std::string uuid = UuidText(entry.uuid().uuid());
  if (!entry.has_base_id()) {
    return StoreLocation{table.store, IndexesFolder(table.root) + "/" + uuid};
  }
  const table::BasePath* base = FindBasePath(manifest.head.base_paths(), entry.base_id());
  if (base == nullptr) return Corrupt("manifest has no base path with id ", entry.base_id());
  ARROW_ASSIGN_OR_RAISE(StoreLocation location, ResolveUri(base->path()));
  std::string folder = base->is_dataset_root() ? IndexesFolder(location.path) : location.path;
  folder.append("/").append(uuid);
  return StoreLocation{std::move(location.store), std::move(folder)};
}

}  // namespace lance
