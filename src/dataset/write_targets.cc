#include "dataset/write_targets.h"

#include <map>
#include <string_view>

namespace lance {
namespace {

/// Whether two URIs mean the same place, as far as they can be resolved.
bool IsSamePlace(const std::string& a, const std::string& b) {
  constexpr std::string_view kMemory = "memory://";
  if (a == b) return true;
  if (a.starts_with(kMemory) != b.starts_with(kMemory)) return false;
  auto first = ResolveUri(a);
  auto second = ResolveUri(b);
  return first.ok() && second.ok() && first->path == second->path;
}

Result<DataFolder> FindFolder(const std::string& uri, const TableLocation& table,
                              const BasePaths& bases, const std::string& target) {
  for (const auto& base : bases) {
    if (base.has_name() && base.name() == target) return DataFolderOf(base);
  }
  for (const auto& base : bases) {
    if (base.path() == target) return DataFolderOf(base);
  }
  for (const auto& base : bases) {
    if (IsSamePlace(base.path(), target)) return DataFolderOf(base);
  }
  if (IsSamePlace(uri, target)) return OwnDataFolder(table);
  return UserError("Base reference '", target, "' not found in available bases");
}

Result<std::vector<DataFolder>> AllFolders(const TableLocation& table, const BasePaths& bases,
                                           bool with_own) {
  std::vector<DataFolder> folders;
  if (with_own) folders.push_back(OwnDataFolder(table));
  std::map<uint32_t, const table::BasePath*> by_id;  // the order of the list has no meaning
  for (const auto& base : bases) by_id[base.id()] = &base;
  for (const auto& [id, base] : by_id) {
    ARROW_ASSIGN_OR_RAISE(folders.emplace_back(), DataFolderOf(*base));
  }
  if (!folders.empty()) return folders;
  return UserError(
      "target_all_bases found no registered bases, and the table's own folder is left out; "
      "register "
      "bases, or include it");
}

}  // namespace

Result<std::vector<DataFolder>> ChooseFolders(const std::string& uri, const TableLocation& table,
                                              const BasePaths& bases, const WriteTargets& targets) {
  if (targets.all_bases) {
    if (!targets.bases.empty()) {
      return UserError("Cannot specify target_all_bases together with target_bases");
    }
    return AllFolders(table, bases, *targets.all_bases);
  }
  std::vector<DataFolder> folders;
  for (const std::string& target : targets.bases) {
    ARROW_ASSIGN_OR_RAISE(folders.emplace_back(), FindFolder(uri, table, bases, target));
  }
  if (folders.empty()) folders.push_back(OwnDataFolder(table));
  return folders;
}

Result<BasePaths> ToBasePaths(std::span<const BasePathInfo> infos) {
  BasePaths bases;
  for (const BasePathInfo& info : infos) {
    auto* base = bases.Add();
    base->set_id(info.id);
    if (info.name) base->set_name(*info.name);
    base->set_is_dataset_root(info.is_dataset_root);
    base->set_path(info.path);
    const bool is_relative =
        !info.path.starts_with('/') && info.path.find("://") == std::string::npos;
    if (!is_relative) continue;
    ARROW_ASSIGN_OR_RAISE(StoreLocation location, ResolveUri(info.path));
    base->set_path(location.path);
  }
  return bases;
}

}  // namespace lance
