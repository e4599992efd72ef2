#include "dataset/cleanup.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "arrow/buffer.h"

#include "dataset/manage_branches.h"
#include "dataset/manage_refs.h"
#include "table/deletion_file.h"
#include "table/feature_flags.h"
#include "table/index_files.h"
#include "table/index_section.h"
#include "table/now.h"
#include "table/refs.h"
#include "table/transaction.h"

namespace lance {
namespace {

/// A file that no version uses may be of a write under way as long as it is younger.
constexpr int64_t kUnverifiedAgeNs = int64_t{7} * 24 * 3600 * 1000000000;

/// A commit takes much less, from its transaction file to its manifest.
constexpr int64_t kCommitAgeNs = int64_t{3600} * 1000000000;

constexpr std::string_view kDataSuffix = ".lance";
constexpr std::string_view kBlobSuffix = ".blob";
/// Manifests that are deleted before the tags are looked at again.
constexpr size_t kManifestsAtOnce = 32;

/// Files below the root of a table, by what names them.
struct FileSet {
  std::set<std::string> data;  ///< relative to `data/`
  std::set<std::string> deletions;
  std::set<std::string> transactions;
  std::set<std::string> indexes;  ///< UUIDs

  bool HasDataStem(std::string_view stem) const {
    return data.contains(std::string(stem) + std::string(kDataSuffix));
  }
};

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// What writers that were interrupted leave of an object: the reference's names and ours.
bool IsTemporary(std::string_view name) {
  return name.starts_with(".tmp") || name.ends_with(".tmp");
}

bool EndsWithAny(std::string_view text, std::initializer_list<std::string_view> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return text.ends_with(suffix); });
}

/// Which files of a version lie below the root that is cleaned, by the base id that they have.
struct Places {
  /// Base ids of data files, and what their paths have before them, relative to `data/`.
  std::map<std::optional<uint32_t>, std::string> data;
  /// Base ids of deletion files and indexes.
  std::set<std::optional<uint32_t>> roots;
};

/// `own`: whether the version is one of the table that is cleaned, so that files without a base id
/// are below its root. Base paths may be, too.
Places PlacesBelow(const std::string& root, const Manifest& manifest, bool own) {
  Places places;
  if (own) {
    places.data[std::nullopt] = "";
    places.roots.insert(std::nullopt);
  }
  const std::string data_folder = root + "/data";
  for (const auto& base : manifest.head.base_paths()) {
    auto folder = DataFolderOf(base);
    if (!folder.ok()) continue;
    std::string_view path = folder->location.path;
    if (path == data_folder && base.is_dataset_root()) places.roots.insert(base.id());
    if (path == data_folder) {
      places.data[base.id()] = "";
    } else if (path.starts_with(data_folder + "/")) {
      places.data[base.id()] = std::string(path.substr(data_folder.size() + 1)) + "/";
    }
  }
  return places;
}

template <typename Item>
std::optional<uint32_t> BaseIdOf(const Item& item) {
  return item.has_base_id() ? std::optional<uint32_t>(item.base_id()) : std::nullopt;
}

/// Adds the files of a version that are in these places to a set.
Status AddFiles(const Context& context, ObjectStore& store, const ManifestFile& file,
                const Places& places, FileSet* set) {
  auto add_data = [&](const table::DataFile& data) {
    auto at = places.data.find(BaseIdOf(data));
    if (at != places.data.end()) set->data.insert(at->second + data.path());
  };
  auto is_at_root = [&](const auto& item) { return places.roots.contains(BaseIdOf(item)); };
  for (const FragmentSummary& summary : file.manifest().fragments) {
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
    for (const auto& data : fragment.files()) add_data(data);
    for (const auto& overlay : fragment.overlays()) add_data(overlay.data_file());
    if (fragment.has_deletion_file() && is_at_root(fragment.deletion_file())) {
      set->deletions.insert(DeletionFileName(fragment.id(), fragment.deletion_file()));
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto section, file.ReadIndexSection(context, store));
  lance::IndexSection indexes(section);
  ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, indexes.Edit());
  for (const auto& entry : *entries) {
    if (is_at_root(entry)) set->indexes.insert(UuidText(entry.uuid().uuid()));
  }
  const std::string& transaction = file.manifest().head.transaction_file();
  if (places.roots.contains(std::nullopt) && !transaction.empty()) {
    set->transactions.insert(transaction);
  }
  return Status::OK();
}

class Cleaner {
 public:
  Cleaner(const Snapshot& snapshot, const CleanupPolicy& policy)
      : snapshot_(snapshot),
        policy_(policy),
        context_(snapshot.MakeContext()),
        store_(*snapshot.table().store),
        root_(snapshot.table().root),
        now_ns_(NowNanoseconds()) {}

  Result<CleanupStats> Run() {
    ARROW_RETURN_NOT_OK(CheckWritable(snapshot_.manifest()));
    ARROW_RETURN_NOT_OK(ReadVersions());
    ARROW_RETURN_NOT_OK(KeepForCommits());
    // First, so that no version is ever without its files, and that nothing new can come of one
    // whose files go: tags, branches and restores look for its manifest once more when they have
    // made themselves known.
    ARROW_RETURN_NOT_OK(DeleteManifests());
    ARROW_RETURN_NOT_OK(AddFilesOfBranches());
    ARROW_RETURN_NOT_OK(KeepForRestores());
    ARROW_RETURN_NOT_OK(CleanData());
    ARROW_RETURN_NOT_OK(CleanDeletions());
    ARROW_RETURN_NOT_OK(CleanTransactions());
    ARROW_RETURN_NOT_OK(CleanIndexes());
    for (const std::string& folder : {VersionsFolder(root_), TagsFolder(MainRootOf(snapshot_)),
                                      BranchesFolder(MainRootOf(snapshot_))}) {
      ARROW_RETURN_NOT_OK(CleanTemporaries(folder));
    }
    return std::move(stats_);
  }

 private:
  bool MeetsPolicy(const Manifest& manifest, uint64_t first_kept) const {
    bool any = policy_.before_timestamp_ns || policy_.retain_versions || policy_.versions;
    bool old =
        !policy_.before_timestamp_ns || manifest.timestamp_ns() < *policy_.before_timestamp_ns;
    bool beyond = !policy_.retain_versions || manifest.version() < first_kept;
    bool listed = !policy_.versions || std::find(policy_.versions->begin(), policy_.versions->end(),
                                                 manifest.version()) != policy_.versions->end();
    return any && old && beyond && listed;
  }

  Result<std::set<uint64_t>> TaggedVersions() const {
    ARROW_ASSIGN_OR_RAISE(auto tags, ListTags(context_, store_, MainRootOf(snapshot_)));
    std::optional<std::string> branch;
    if (snapshot_.manifest().head.has_branch()) branch = snapshot_.manifest().head.branch();
    std::set<uint64_t> versions;
    for (const auto& [name, tag] : tags) {
      if (tag.branch == branch) versions.insert(tag.version);
    }
    return versions;
  }

  /// The branches that started from this one, and from which version.
  Result<std::map<std::string, uint64_t>> BranchStarts() const {
    ARROW_ASSIGN_OR_RAISE(auto branches, BranchesOf(snapshot_));
    BranchIdentifier own;
    if (snapshot_.manifest().head.has_branch()) {
      auto at = branches.find(snapshot_.manifest().head.branch());
      if (at != branches.end()) own = at->second.identifier;
    }
    std::map<std::string, uint64_t> starts;
    for (const auto& [name, branch] : branches) {
      if (auto version = ReferencedVersion(own, branch.identifier)) starts.emplace(name, *version);
    }
    return starts;
  }

  /// Sorts the versions into those to keep and those to delete, and their files likewise.
  Status ReadVersions() {
    ARROW_ASSIGN_OR_RAISE(auto tagged, TaggedVersions());
    ARROW_ASSIGN_OR_RAISE(auto starts, BranchStarts());
    std::set<uint64_t> branched;
    for (const auto& [name, version] : starts) branched.insert(version);
    ARROW_ASSIGN_OR_RAISE(auto locations, ListVersions(context_, store_, root_));
    uint64_t first_kept = 0;
    if (policy_.retain_versions && *policy_.retain_versions < locations.size()) {
      first_kept = locations[locations.size() - *policy_.retain_versions].version;
    }
    std::vector<uint64_t> kept_by_tag;
    for (const ManifestLocation& location : locations) {
      auto file = ManifestFile::Read(context_, store_, location);
      bool vanished = !file.ok() && GetErrorCode(file.status()) == ErrorCode::kNotFound;
      if (vanished && location.version < snapshot_.manifest().version()) continue;
      ARROW_RETURN_NOT_OK(file.status());
      ARROW_RETURN_NOT_OK(CheckWritable((*file)->manifest()));
      bool expired = location.version < snapshot_.manifest().version() &&
                     !branched.contains(location.version) &&
                     MeetsPolicy((*file)->manifest(), first_kept);
      if (expired && tagged.contains(location.version)) {
        kept_by_tag.push_back(location.version);
        expired = false;
      }
      if (expired) expired_.push_back((*file)->location());
      ARROW_RETURN_NOT_OK(AddOwnFiles(**file, expired ? &verified_ : &referenced_));
    }
    if (!kept_by_tag.empty() && policy_.error_if_tagged_old_versions) {
      return IoError("cleanup error: ", kept_by_tag.size(), " tagged versions, such as ",
                     kept_by_tag.front(),
                     ", have been marked for cleanup; delete the tags first, or set "
                     "error_if_tagged_old_versions=false to keep these versions");
    }
    return Status::OK();
  }

  Status AddOwnFiles(const ManifestFile& file, FileSet* set) {
    return AddFiles(context_, store_, file, PlacesBelow(root_, file.manifest(), /*own=*/true), set);
  }

  Status DeleteManifests() {
    for (size_t at = 0; at < expired_.size(); at += kManifestsAtOnce) {
      ARROW_RETURN_NOT_OK(context_.CheckStop());
      auto some = std::span(expired_).subspan(at, std::min(kManifestsAtOnce, expired_.size() - at));
      if (policy_.dry_run) {
        for (const auto& location : some) Remove(InfoOf(location), &stats_.old_versions);
      } else {
        ARROW_RETURN_NOT_OK(DeleteUntagged(some));
      }
    }
    return Status::OK();
  }

  /// A version that was tagged meanwhile comes back, and one that can't be deleted stays whole.
  Status DeleteUntagged(std::span<const ManifestLocation> locations) {
    std::vector<std::pair<ManifestLocation, std::shared_ptr<arrow::Buffer>>> deleted;
    for (const ManifestLocation& location : locations) {
      auto content = store_.Get(context_, location.path);
      if (!content.ok() && GetErrorCode(content.status()) == ErrorCode::kNotFound) {
        // Another clean-up has it in hand, and may bring it back: nothing of these versions is ours
        // to delete, until it is old.
        verified_ = {};
      } else if (content.ok() && Remove(InfoOf(location), &stats_.old_versions)) {
        deleted.emplace_back(location, *std::move(content));
      } else {
        ARROW_RETURN_NOT_OK(KeepVersion(location));
      }
    }
    ARROW_ASSIGN_OR_RAISE(auto tagged, TaggedVersions());
    for (const auto& [location, content] : deleted) {
      if (!tagged.contains(location.version)) continue;
      Bytes bytes(content->data(), static_cast<size_t>(content->size()));
      ARROW_RETURN_NOT_OK(store_.Put(context_, location.path, bytes));
      --stats_.old_versions;
      stats_.bytes_removed -= location.size;
      ARROW_RETURN_NOT_OK(KeepVersion(location));
    }
    return Status::OK();
  }

  Status KeepVersion(const ManifestLocation& location) {
    auto file = ManifestFile::Read(context_, store_, location);
    // Another clean-up was faster.
    if (!file.ok() && GetErrorCode(file.status()) == ErrorCode::kNotFound) return Status::OK();
    ARROW_RETURN_NOT_OK(file.status());
    return AddOwnFiles(**file, &referenced_);
  }

  /// The transactions of commits that are under way: of files that no version names.
  Result<std::vector<Transaction>> PendingTransactions() {
    std::vector<Transaction> pending;
    if (policy_.delete_unverified) return pending;
    ARROW_ASSIGN_OR_RAISE(auto objects, store_.List(context_, TransactionsFolder(root_)));
    for (const ObjectInfo& object : objects) {
      std::string name(NameOf(object.path));
      bool known = referenced_.transactions.contains(name) || verified_.transactions.contains(name);
      if (known || IsTemporary(name) || now_ns_ - object.modified_ns > kCommitAgeNs) continue;
      auto content = store_.Get(context_, object.path);
      // Given up since it was listed.
      if (!content.ok() && GetErrorCode(content.status()) == ErrorCode::kNotFound) continue;
      ARROW_RETURN_NOT_OK(content.status());
      auto transaction =
          DecodeTransaction({(*content)->data(), static_cast<size_t>((*content)->size())});
      // Half of one is none that is committed.
      if (transaction.ok()) pending.push_back(*std::move(transaction));
    }
    return pending;
  }

  /// A writer looks for newer versions when its transaction file is there; from then on, the number
  /// that it is going to take must not become free again.
  Status KeepForCommits() {
    ARROW_ASSIGN_OR_RAISE(auto pending, PendingTransactions());
    uint64_t last_free = UINT64_MAX;
    for (const Transaction& transaction : pending) {
      last_free = std::min(last_free, transaction.has_clone() ? 0 : transaction.read_version());
    }
    auto kept = std::stable_partition(
        expired_.begin(), expired_.end(),
        [&](const ManifestLocation& location) { return location.version <= last_free; });
    for (auto location = kept; location != expired_.end(); ++location) {
      ARROW_RETURN_NOT_OK(KeepVersion(*location));
    }
    expired_.erase(kept, expired_.end());
    return Status::OK();
  }

  /// A restore that has found its version before it was deleted, here or by another clean-up, may
  /// still be committed: what no version uses stays until it is old.
  Status KeepForRestores() {
    ARROW_ASSIGN_OR_RAISE(auto pending, PendingTransactions());
    const bool restores = std::any_of(pending.begin(), pending.end(), [](const auto& transaction) {
      return transaction.has_restore();
    });
    if (restores) verified_ = {};
    return Status::OK();
  }

  /// Branches that started from this one use its files, also of versions that are deleted here:
  /// others may have deleted the one that they started from.
  Status AddFilesOfBranches() {
    ARROW_ASSIGN_OR_RAISE(auto starts, BranchStarts());
    for (const auto& [name, version] : starts) {
      std::string branch_root = BranchRoot(MainRootOf(snapshot_), name);
      ARROW_ASSIGN_OR_RAISE(auto locations, ListVersions(context_, store_, branch_root));
      for (const ManifestLocation& location : locations) {
        ARROW_ASSIGN_OR_RAISE(auto file, ManifestFile::Read(context_, store_, location));
        Places places = PlacesBelow(root_, file->manifest(), /*own=*/false);
        ARROW_RETURN_NOT_OK(AddFiles(context_, store_, *file, places, &referenced_));
      }
    }
    return Status::OK();
  }

  bool IsOld(const ObjectInfo& object) const {
    return now_ns_ - object.modified_ns > kUnverifiedAgeNs;
  }
  /// Whether a file that no kept version uses may go.
  bool MayGo(const ObjectInfo& object, bool verified) const {
    return verified || policy_.delete_unverified || IsOld(object);
  }

  static ObjectInfo InfoOf(const ManifestLocation& location) {
    return {location.path, location.size, 0};
  }

  /// Failures are not fatal: the next clean-up finds what is left.
  bool Remove(const ObjectInfo& object, uint64_t* counter) {
    if (!policy_.dry_run && !store_.Delete(context_, object.path).ok()) {
      ++stats_.failed_deletions;
      return false;
    }
    if (policy_.dry_run) stats_.candidates.push_back({object.path, object.size});
    stats_.bytes_removed += object.size;
    ++*counter;
    return true;
  }

  void RemoveTemporary(const ObjectInfo& object, uint64_t* counter) {
    if (policy_.delete_unverified || IsOld(object)) Remove(object, counter);
  }

  Status CleanData() { return CleanDataFolder(root_ + "/data", ""); }

  /// `prefix`: what names of files have before them.
  Status CleanDataFolder(const std::string& folder, const std::string& prefix) {
    ARROW_RETURN_NOT_OK(context_.CheckStop());
    ARROW_ASSIGN_OR_RAISE(auto objects, store_.List(context_, folder));
    for (const ObjectInfo& object : objects) {
      std::string name = prefix + std::string(NameOf(object.path));
      if (IsTemporary(NameOf(object.path))) {
        RemoveTemporary(object, &stats_.data_files_removed);
      } else if (name.ends_with(kDataSuffix)) {
        if (referenced_.data.contains(name)) continue;
        if (MayGo(object, verified_.data.contains(name)))
          Remove(object, &stats_.data_files_removed);
      } else if (name.ends_with(kBlobSuffix) && !prefix.empty()) {
        std::string_view stem = std::string_view(prefix).substr(0, prefix.size() - 1);
        if (referenced_.HasDataStem(stem)) continue;
        if (MayGo(object, verified_.HasDataStem(stem))) Remove(object, &stats_.data_files_removed);
      }
    }
    ARROW_ASSIGN_OR_RAISE(auto folders, store_.ListFolders(context_, folder));
    for (const std::string& inner : folders) {
      ARROW_RETURN_NOT_OK(CleanDataFolder(inner, prefix + std::string(NameOf(inner)) + "/"));
    }
    return Status::OK();
  }

  Status CleanFolder(const std::string& folder, std::initializer_list<std::string_view> suffixes,
                     const std::set<std::string>& referenced, const std::set<std::string>& verified,
                     uint64_t* counter) {
    ARROW_ASSIGN_OR_RAISE(auto objects, store_.List(context_, folder));
    for (const ObjectInfo& object : objects) {
      std::string name(NameOf(object.path));
      if (IsTemporary(name)) RemoveTemporary(object, counter);
      if (!EndsWithAny(name, suffixes) || referenced.contains(name)) continue;
      if (MayGo(object, verified.contains(name))) Remove(object, counter);
    }
    return Status::OK();
  }

  Status CleanDeletions() {
    return CleanFolder(root_ + "/_deletions", {".arrow", ".bin"}, referenced_.deletions,
                       verified_.deletions, &stats_.deletion_files_removed);
  }
  Status CleanTransactions() {
    return CleanFolder(TransactionsFolder(root_), {".txn"}, referenced_.transactions,
                       verified_.transactions, &stats_.transaction_files_removed);
  }

  Status CleanIndexes() {
    ARROW_ASSIGN_OR_RAISE(auto folders, store_.ListFolders(context_, IndexesFolder(root_)));
    for (const std::string& folder : folders) {
      std::string uuid(NameOf(folder));
      if (referenced_.indexes.contains(uuid)) continue;
      ARROW_ASSIGN_OR_RAISE(auto objects, store_.List(context_, folder));
      for (const ObjectInfo& object : objects) {
        if (MayGo(object, verified_.indexes.contains(uuid))) {
          Remove(object, &stats_.index_files_removed);
        }
      }
    }
    return Status::OK();
  }

  /// Left behind by writers that were interrupted.
  Status CleanTemporaries(const std::string& folder) {
    ARROW_ASSIGN_OR_RAISE(auto objects, store_.List(context_, folder));
    uint64_t uncounted = 0;
    for (const ObjectInfo& object : objects) {
      if (IsTemporary(NameOf(object.path))) RemoveTemporary(object, &uncounted);
    }
    return Status::OK();
  }

  const Snapshot& snapshot_;
  const CleanupPolicy& policy_;
  Context context_;
  ObjectStore& store_;
  const std::string root_;
  const int64_t now_ns_;
  FileSet referenced_;
  FileSet verified_;
  std::vector<ManifestLocation> expired_;
  CleanupStats stats_;
};

}  // namespace

Result<CleanupStats> CleanUpOldVersions(const Snapshot& snapshot, const CleanupPolicy& policy) {
  return Cleaner(snapshot, policy).Run();
}

}  // namespace lance
