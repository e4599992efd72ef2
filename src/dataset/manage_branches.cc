#include "dataset/manage_branches.h"

#include <algorithm>

#include "dataset/clone.h"
#include "dataset/manage_refs.h"
#include "table/now.h"
#include "table/ref_names.h"
#include "table/refs.h"
#include "table/transaction.h"
#include "table/unique_names.h"

namespace lance {
namespace {

constexpr int64_t kNanosPerSecond = 1000000000;

/// 32 hex digits without hyphens.
std::string PlainUuid() {
  std::string uuid = MakeUuid();
  std::erase(uuid, '-');
  return uuid;
}

/// The folders of a branch that no other branch has a part in: a branch `a/b` lies inside of where
/// `a` would be.
std::string OwnFolder(const std::string& name, const std::map<std::string, Branch>& others) {
  auto shared = [&](const std::string& folder) {
    return std::any_of(others.begin(), others.end(), [&](const auto& other) {
      return other.first != name &&
             (other.first == folder || other.first.starts_with(folder + "/"));
    });
  };
  std::string own = name;
  for (size_t slash = own.rfind('/'); slash != std::string::npos; slash = own.rfind('/')) {
    if (shared(own.substr(0, slash))) break;
    own.resize(slash);
  }
  return own;
}

/// Deletes the files of a branch, but not those of branches inside of its folder.
Status DeleteFolders(const Snapshot& snapshot, const std::string& name,
                     const std::map<std::string, Branch>& others) {
  Context context = snapshot.MakeContext();
  ObjectStore& store = *snapshot.table().store;
  std::string main_root = MainRootOf(snapshot);
  bool holds_others = std::any_of(others.begin(), others.end(), [&](const auto& other) {
    return other.first.starts_with(name + "/");
  });
  std::string root = BranchRoot(main_root, name);
  if (!holds_others)
    return store.DeleteFolder(context, BranchRoot(main_root, OwnFolder(name, others)));
  for (const char* folder :
       {"_versions", "_transactions", "data", "_deletions", "_indices", "_blobs"}) {
    ARROW_RETURN_NOT_OK(store.DeleteFolder(context, root + "/" + folder));
  }
  return Status::OK();
}

/// The first version of a branch: cloned, or what a creation that was interrupted before its entry
/// has cloned of the same version.
Result<std::shared_ptr<const Snapshot>> CloneOrAdopt(const Snapshot& source,
                                                     const TableHandle& target,
                                                     const CloneNames& names) {
  ARROW_ASSIGN_OR_RAISE(auto existing, target.OpenNewestIfAny());
  if (existing == nullptr) return ShallowClone(source, target, names);
  ARROW_ASSIGN_OR_RAISE(auto bytes, ReadTransactionBytes(target.session->MakeContext(),
                                                         target.table, *existing->file()));
  ARROW_ASSIGN_OR_RAISE(Transaction transaction, DecodeTransaction(AsBytes(bytes.value_or(""))));
  const auto& clone = transaction.clone();
  bool is_ours = transaction.has_clone() && clone.ref_version() == source.manifest().version() &&
                 clone.ref_path() == source.table().root &&
                 clone.branch_name() == names.branch_name.value_or("");
  if (is_ours) return existing;
  return AlreadyExists("the folder of branch '", names.branch_name.value_or(""),
                       "' holds another one, without an entry; delete the branch first");
}

}  // namespace

Result<std::map<std::string, Branch>> BranchesOf(const Snapshot& snapshot) {
  return ListBranches(snapshot.MakeContext(), *snapshot.table().store, MainRootOf(snapshot));
}

Result<std::shared_ptr<const Snapshot>> CreateBranch(const Snapshot& snapshot,
                                                     const std::string& name,
                                                     const VersionRef& start) {
  ARROW_RETURN_NOT_OK(CheckBranchName(name));
  Context context = snapshot.MakeContext();
  ObjectStore& store = *snapshot.table().store;
  std::string main_root = MainRootOf(snapshot);
  ARROW_ASSIGN_OR_RAISE(auto existing, BranchesOf(snapshot));
  if (existing.contains(name)) return AlreadyExists("branch '", name, "' already exists");
  ARROW_ASSIGN_OR_RAISE(auto source, OpenReference(snapshot, start));

  Branch branch;
  if (source->manifest().head.has_branch()) branch.parent = source->manifest().head.branch();
  branch.parent_version = source->manifest().version();
  branch.created_at = NowNanoseconds() / kNanosPerSecond;
  branch.manifest_size = source->file()->location().size;
  if (branch.parent) {
    ARROW_ASSIGN_OR_RAISE(Branch parent, ReadBranch(context, store, main_root, *branch.parent));
    branch.identifier = std::move(parent.identifier);
  }
  branch.identifier.emplace_back(branch.parent_version, PlainUuid());

  TableHandle target = HandleOfBranch(snapshot, name);
  ARROW_ASSIGN_OR_RAISE(
      auto cloned, CloneOrAdopt(*source, target, {.ref_name = branch.parent, .branch_name = name}));
  Status created = CreateBranchFile(context, store, main_root, name, branch);
  bool has_entry = created.ok();
  if (created.ok()) created = CheckStillExists(*source);
  if (!created.ok() && has_entry) {
    has_entry = !DeleteBranchFile(context, store, main_root, name).ok();
  }
  // Nobody can have used what has no entry, unless the entry is another writer's, or may come.
  ErrorCode code = GetErrorCode(created);
  bool may_get_one = code == ErrorCode::kAlreadyExists || code == ErrorCode::kCommitUnknown;
  if (!created.ok() && !has_entry && !may_get_one) {
    (void)store.DeleteFolder(context, target.table.root);
  }
  ARROW_RETURN_NOT_OK(created);
  return cloned;
}

Status RemoveBranch(const Snapshot& snapshot, const std::string& name) {
  Context context = snapshot.MakeContext();
  ObjectStore& store = *snapshot.table().store;
  std::string main_root = MainRootOf(snapshot);
  ARROW_ASSIGN_OR_RAISE(auto others, BranchesOf(snapshot));
  auto entry = ReadBranch(context, store, main_root, name);
  if (!entry.ok()) {
    // Of a deletion or a creation that was interrupted.
    bool has_remains = GetErrorCode(entry.status()) == ErrorCode::kNotFound &&
                       !ListVersions(context, store, BranchRoot(main_root, name))
                            .ValueOr(std::vector<ManifestLocation>())
                            .empty();
    return has_remains ? DeleteFolders(snapshot, name, others) : entry.status();
  }
  const Branch& branch = *entry;
  for (const auto& [other_name, other] : others) {
    if (auto version = ReferencedVersion(branch.identifier, other.identifier)) {
      return UserError("Ref conflict error: branch ", name, " is referenced by branch ", other_name,
                       ", which started from its version ", *version, "; delete that first");
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto tags, ListTags(context, store, main_root));
  for (const auto& [tag_name, tag] : tags) {
    if (tag.branch == name) {
      return UserError("Ref conflict error: branch ", name, " is referenced by tag ", tag_name,
                       "; delete that first");
    }
  }
  ARROW_RETURN_NOT_OK(DeleteBranchFile(context, store, main_root, name));
  return DeleteFolders(snapshot, name, others);
}

Status ReplaceBranchMetadata(const Snapshot& snapshot, const std::string& name,
                             std::map<std::string, std::string> metadata) {
  Context context = snapshot.MakeContext();
  ObjectStore& store = *snapshot.table().store;
  std::string main_root = MainRootOf(snapshot);
  ARROW_ASSIGN_OR_RAISE(Branch branch, ReadBranch(context, store, main_root, name));
  branch.metadata = std::move(metadata);
  return ReplaceBranchFile(context, store, main_root, name, branch);
}

}  // namespace lance
