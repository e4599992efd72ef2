#include "dataset/manage_refs.h"

#include "table/now.h"
#include "table/ref_json.h"
#include "table/ref_names.h"
#include "table/refs.h"

namespace lance {
namespace {

/// A tag that points to a version, made now.
Tag TagOf(const Snapshot& tagged) {
  Tag tag;
  if (tagged.manifest().head.has_branch()) tag.branch = tagged.manifest().head.branch();
  tag.version = tagged.manifest().version();
  tag.manifest_size = tagged.file()->location().size;
  tag.created_at = FormatTimestamp(NowNanoseconds());
  tag.updated_at = tag.created_at;
  return tag;
}

}  // namespace

std::string MainRootOf(const Snapshot& snapshot) {
  return MainRoot(snapshot.table().root, snapshot.manifest());
}

TableHandle HandleOfBranch(const Snapshot& snapshot, const std::optional<std::string>& branch) {
  TableHandle handle = HandleOf(snapshot);
  std::string main_root = MainRootOf(snapshot);
  std::string_view suffix = std::string_view(handle.table.root).substr(main_root.size());
  if (handle.uri.ends_with(suffix)) {
    handle.uri.resize(handle.uri.size() - suffix.size());
  } else {
    handle.uri = main_root;  // a relative path that starts inside of the table, say
  }
  handle.table.root = main_root;
  if (branch && *branch != kMainBranch) {
    handle.table.root = BranchRoot(main_root, *branch);
    handle.uri = BranchRoot(handle.uri, *branch);
  }
  return handle;
}

Status CheckStillExists(const Snapshot& version) {
  auto info = version.table().store->Head(version.MakeContext(), version.file()->location().path);
  if (info.ok() || GetErrorCode(info.status()) != ErrorCode::kNotFound) return info.status();
  return WithPlace(NotFound("version ", version.manifest().version(), " was cleaned up meanwhile"),
                   {.path = version.table().root});
}

Status CreateTagOf(const Snapshot& snapshot, const std::string& name, const VersionRef& target) {
  ARROW_RETURN_NOT_OK(CheckTagName(name));
  ARROW_ASSIGN_OR_RAISE(auto tagged, OpenReference(snapshot, target));
  ARROW_RETURN_NOT_OK(CreateTag(snapshot.MakeContext(), *snapshot.table().store,
                                MainRootOf(snapshot), name, TagOf(*tagged)));
  Status exists = CheckStillExists(*tagged);
  if (!exists.ok()) (void)RemoveTag(snapshot, name);
  return exists;
}

Status UpdateTag(const Snapshot& snapshot, const std::string& name, const VersionRef& target) {
  Context context = snapshot.MakeContext();
  ObjectStore& store = *snapshot.table().store;
  std::string main_root = MainRootOf(snapshot);
  ARROW_ASSIGN_OR_RAISE(Tag before, ReadTag(context, store, main_root, name));
  ARROW_ASSIGN_OR_RAISE(auto tagged, OpenReference(snapshot, target));
  Tag tag = TagOf(*tagged);
  tag.created_at = before.created_at;
  tag.metadata = before.metadata;
  ARROW_RETURN_NOT_OK(ReplaceTag(context, store, main_root, name, tag));
  Status exists = CheckStillExists(*tagged);
  if (!exists.ok()) (void)ReplaceTag(context, store, main_root, name, before);
  return exists;
}

Status RemoveTag(const Snapshot& snapshot, const std::string& name) {
  return DeleteTag(snapshot.MakeContext(), *snapshot.table().store, MainRootOf(snapshot), name);
}

Status ReplaceTagMetadata(const Snapshot& snapshot, const std::string& name,
                          std::map<std::string, std::string> metadata) {
  Context context = snapshot.MakeContext();
  ObjectStore& store = *snapshot.table().store;
  std::string main_root = MainRootOf(snapshot);
  ARROW_ASSIGN_OR_RAISE(Tag tag, ReadTag(context, store, main_root, name));
  tag.metadata = std::move(metadata);
  tag.updated_at = FormatTimestamp(NowNanoseconds());
  return ReplaceTag(context, store, main_root, name, tag);
}

}  // namespace lance
