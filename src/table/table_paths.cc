#include "table/table_paths.h"

#include "table/base_paths.h"
#include "table/deletion_file.h"

namespace lance {
namespace {

constexpr std::string_view kDataFolder = "/data";
constexpr std::string_view kDeletionsFolder = "/_deletions/";

struct Base {
  StoreLocation location;
  bool is_dataset_root = true;
};

Result<Base> FindBase(const TableLocation& table, const Manifest& manifest,
                      std::optional<uint32_t> base_id) {
  if (!base_id) return Base{{table.store, table.root}, true};
  const table::BasePath* base = FindBasePath(manifest.head.base_paths(), *base_id);
  if (base == nullptr) return Corrupt("manifest has no base path with id ", *base_id);
  ARROW_ASSIGN_OR_RAISE(StoreLocation location, ResolveUri(base->path()));
  return Base{std::move(location), base->is_dataset_root()};
}

}  // namespace

Status CheckRelativePath(std::string_view path) {
  bool climbs = path.empty() || path.front() == '/' || path == ".." || path.starts_with("../") ||
                path.ends_with("/..") || path.find("/../") != std::string_view::npos ||
                path.find('\0') != std::string_view::npos;
  if (climbs) return Corrupt("file name leaves its folder: '", path, "'");
  return Status::OK();
}

std::string TransactionFileName(uint64_t read_version, std::string_view uuid) {
  return std::to_string(read_version) + "-" + std::string(uuid) + ".txn";
}

std::string TransactionsFolder(std::string_view root) {
  return std::string(root) + "/_transactions";
}

std::string TransactionPath(std::string_view root, std::string_view file_name) {
  return TransactionsFolder(root) + "/" + std::string(file_name);
}

std::string NewDeletionFilePath(std::string_view root, std::string_view file_name) {
  return std::string(root) + std::string(kDeletionsFolder) + std::string(file_name);
}

std::string TagsFolder(std::string_view main_root) {
  return std::string(main_root) + "/_refs/tags";
}

std::string BranchesFolder(std::string_view main_root) {
  return std::string(main_root) + "/_refs/branches";
}

std::string BranchRoot(std::string_view main_root, std::string_view branch) {
  return std::string(main_root) + "/tree/" + std::string(branch);
}

std::string MainRoot(std::string_view root, const Manifest& manifest) {
  if (manifest.head.has_branch()) {
    std::string suffix = "/tree/" + manifest.head.branch();
    if (root.ends_with(suffix)) root.remove_suffix(suffix.size());
  }
  return std::string(root);
}

DataFolder OwnDataFolder(const TableLocation& table) {
  return {{table.store, table.root + std::string(kDataFolder)}};
}

Result<DataFolder> DataFolderOf(const table::BasePath& base) {
  ARROW_ASSIGN_OR_RAISE(StoreLocation location, ResolveUri(base.path()));
  if (base.is_dataset_root()) location.path += kDataFolder;
  return DataFolder{std::move(location), base.id()};
}

Result<StoreLocation> LocateDataFile(const TableLocation& table, const Manifest& manifest,
                                     const table::DataFile& file) {
  ARROW_RETURN_NOT_OK(CheckRelativePath(file.path()));
  std::optional<uint32_t> base_id;
  if (file.has_base_id()) base_id = file.base_id();
  ARROW_ASSIGN_OR_RAISE(Base base, FindBase(table, manifest, base_id));
  if (base.is_dataset_root) base.location.path += kDataFolder;
  base.location.path += "/" + file.path();
  return base.location;
}

Result<StoreLocation> LocateRoot(const TableLocation& table, const Manifest& manifest,
                                 const table::DataFile& file) {
  std::optional<uint32_t> base_id;
  if (file.has_base_id()) base_id = file.base_id();
  ARROW_ASSIGN_OR_RAISE(Base base, FindBase(table, manifest, base_id));
  return base.location;
}

Result<StoreLocation> LocateDeletionFile(const TableLocation& table, const Manifest& manifest,
                                         uint64_t fragment_id, const table::DeletionFile& file) {
  std::optional<uint32_t> base_id;
  if (file.has_base_id()) base_id = file.base_id();
  ARROW_ASSIGN_OR_RAISE(Base base, FindBase(table, manifest, base_id));
  if (!base.is_dataset_root) {
    return Corrupt("deletion file names base path ", *base_id, ", which is not a dataset root");
  }
  base.location.path += kDeletionsFolder;
  base.location.path += DeletionFileName(fragment_id, file);
  return base.location;
}

}  // namespace lance
