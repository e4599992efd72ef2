#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/object_store.h"
#include "table/manifest.h"

namespace lance {

/// Where a table (or a branch of one) lies.
struct TableLocation {
  std::shared_ptr<ObjectStore> store;
  std::string root;  ///< no trailing '/'
};

std::string TransactionFileName(uint64_t read_version, std::string_view uuid);
std::string TransactionsFolder(std::string_view root);
std::string TransactionPath(std::string_view root, std::string_view file_name);
std::string NewDeletionFilePath(std::string_view root, std::string_view file_name);
std::string TagsFolder(std::string_view main_root);
std::string BranchesFolder(std::string_view main_root);
std::string BranchRoot(std::string_view main_root, std::string_view branch);
/// The root of the main branch: `root` without `/tree/{branch}` when the manifest is a branch's.
std::string MainRoot(std::string_view root, const Manifest& manifest);

/// Where a file that a manifest names lies: in the table itself, or below one of its base paths.
Result<StoreLocation> LocateDataFile(const TableLocation& table, const Manifest& manifest,
                                     const table::DataFile& file);
/// The root of the table that holds a data file: this one, or a base path.
Result<StoreLocation> LocateRoot(const TableLocation& table, const Manifest& manifest,
                                 const table::DataFile& file);
/// A folder that new data files go into, and the base path that it belongs to; nothing: the table's
/// own.
struct DataFolder {
  StoreLocation location;
  std::optional<uint32_t> base_id = {};
};
DataFolder OwnDataFolder(const TableLocation& table);
Result<DataFolder> DataFolderOf(const table::BasePath& base);

/// Names that files hold stay below their folder: neither absolute nor climbing, else Corrupt.
Status CheckRelativePath(std::string_view path);
Result<StoreLocation> LocateDeletionFile(const TableLocation& table, const Manifest& manifest,
                                         uint64_t fragment_id, const table::DeletionFile& file);

}  // namespace lance
