#include "lance/table_files.h"

#include <utility>

#include "dataset/open_table.h"
#include "dataset/poll.h"
#include "table/base_paths.h"
#include "table/deletion_file.h"
#include "table/index_files.h"
#include "table/index_section.h"

namespace lance {
namespace {

constexpr std::string_view kManifest = "manifest";
constexpr std::string_view kTransaction = "transaction file";
constexpr std::string_view kData = "data file";
constexpr std::string_view kDeletion = "deletion file";
constexpr std::string_view kIndex = "index file";

std::string RelativeTo(const std::string& root, const std::string& path) {
  return path.starts_with(root + "/") ? path.substr(root.size() + 1) : path;
}

/// Lists the files of one version.
class VersionFiles {
 public:
  VersionFiles(const Context& context, const TableLocation& table, const ManifestFile& file,
               std::vector<TrackedFile>* out)
      : context_(context), table_(table), file_(file), out_(out) {}

  Status Run() {
    Add(table_.root, RelativeTo(table_.root, file_.location().path), kManifest);
    const std::string& transaction = file_.manifest().head.transaction_file();
    if (!transaction.empty()) {
      const std::string path = TransactionPath(table_.root, transaction);
      Add(table_.root, RelativeTo(table_.root, path), kTransaction);
    }
    for (const FragmentSummary& summary : file_.manifest().fragments) {
      ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
      for (const auto& data : fragment.files()) AddData(data);
      for (const auto& overlay : fragment.overlays()) AddData(overlay.data_file());
      if (fragment.has_deletion_file()) {
        const auto& deletions = fragment.deletion_file();
        Add(BaseOf(deletions).root, "_deletions/" + DeletionFileName(fragment.id(), deletions),
            kDeletion);
      }
    }
    return AddIndexes();
  }

 private:
  struct Base {
    std::string root;
    /// Of data files, below the root.
    std::string data_folder;
  };

  template <typename Item>
  Base BaseOf(const Item& item) const {
    const table::BasePath* base =
        item.has_base_id() ? FindBasePath(file_.manifest().head.base_paths(), item.base_id())
                           : nullptr;
    if (base == nullptr) return {table_.root, "data/"};
    return {base->path(), base->is_dataset_root() ? "data/" : ""};
  }

  void AddData(const table::DataFile& data) {
    const Base base = BaseOf(data);
    Add(base.root, base.data_folder + data.path(), kData);
  }

  Status AddIndexes() {
    ARROW_ASSIGN_OR_RAISE(auto section, file_.ReadIndexSection(context_, *table_.store));
    IndexSection indexes(section);
    ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, indexes.Edit());
    for (const auto& entry : *entries) {
      ARROW_ASSIGN_OR_RAISE(auto folder, LocateIndexFolder(table_, file_.manifest(), entry));
      ARROW_ASSIGN_OR_RAISE(auto objects, folder.store->List(context_, folder.path));
      const std::string below = "_indices/" + UuidText(entry.uuid().uuid());
      for (const ObjectInfo& object : objects) {
        Add(BaseOf(entry).root, below + object.path.substr(folder.path.size()), kIndex);
      }
    }
    return Status::OK();
  }

  void Add(std::string base, std::string path, std::string_view type) {
    out_->push_back({file_.version(), std::move(base), std::move(path), type});
  }

  const Context& context_;
  const TableLocation& table_;
  const ManifestFile& file_;
  std::vector<TrackedFile>* out_;
};

}  // namespace

arrow::Result<std::vector<uint64_t>> VersionNumbers(const Dataset& dataset) {
  ARROW_ASSIGN_OR_RAISE(auto handle, TableHandle::Make(dataset.uri()));
  ARROW_ASSIGN_OR_RAISE(auto locations, handle.Versions());
  std::vector<uint64_t> versions;
  versions.reserve(locations.size());
  for (const ManifestLocation& location : locations) versions.push_back(location.version);
  return versions;
}

arrow::Result<StoredFiles> AllFiles(const Dataset& dataset) {
  ARROW_ASSIGN_OR_RAISE(auto handle, TableHandle::Make(dataset.uri()));
  const Context context = handle.session->MakeContext();
  ObjectStore& store = *handle.table.store;
  StoredFiles listed{handle.table.root, {}};
  std::vector<std::string> folders = {listed.root};
  while (!folders.empty()) {
    ARROW_RETURN_NOT_OK(context.CheckStop());
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    ARROW_ASSIGN_OR_RAISE(auto objects, store.List(context, folder));
    for (const ObjectInfo& object : objects) {
      listed.files.push_back(
          {RelativeTo(listed.root, object.path), object.size, object.modified_ns});
    }
    ARROW_ASSIGN_OR_RAISE(auto inner, store.ListFolders(context, folder));
    folders.insert(folders.end(), inner.begin(), inner.end());
  }
  return listed;
}

arrow::Result<std::vector<TrackedFile>> TrackedFiles(const Dataset& dataset, uint64_t min_version,
                                                     const Poll& poll) {
  ARROW_ASSIGN_OR_RAISE(auto handle, TableHandle::Make(dataset.uri()));
  const Context context = handle.session->MakeContext();
  ARROW_ASSIGN_OR_RAISE(auto locations, handle.Versions());
  std::vector<TrackedFile> files;
  for (const ManifestLocation& location : locations) {
    if (location.version < min_version) continue;
    ARROW_RETURN_NOT_OK(CallPoll(poll));
    auto file = ManifestFile::Read(context, *handle.table.store, location);
    // Cleaned up since it was listed.
    if (!file.ok() && GetErrorCode(file.status()) == ErrorCode::kNotFound) continue;
    ARROW_RETURN_NOT_OK(file.status());
    ARROW_RETURN_NOT_OK(VersionFiles(context, handle.table, **file, &files).Run());
  }
  return files;
}

}  // namespace lance
