#include "dataset/manage_branches.h"

#include <algorithm>

#include "dataset/clone.h"
#include "dataset/manage_refs.h"
#include "table/now.h"
#include "table/ref_names.h"
#include "table/refs.h"
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
      auto cloned, ShallowClone(*source, target, {.ref_name = branch.parent, .branch_name = name}));
  Status created = CreateBranchFile(context, store, main_root, name, branch);
  // Nobody can have used what has no entry.
  if (!created.ok() && GetErrorCode(created) != ErrorCode::kAlreadyExists) {
    (void)store.DeleteFolder(context, target.table.root);
  }
  ARROW_RETURN_NOT_OK(created);
  return cloned;
}

Status RemoveBranch(const Snapshot& snapshot, const std::string& name) {
  Context context = snapshot.MakeContext();
  ObjectStore& store = *snapshot.table().store;
  std::string main_root = MainRootOf(snapshot);
  ARROW_ASSIGN_OR_RAISE(Branch branch, ReadBranch(context, store, main_root, name));
  ARROW_ASSIGN_OR_RAISE(auto others, BranchesOf(snapshot));
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
