#include "dataset/open_table.h"

#include "base/executor.h"
#include "dataset/manage_refs.h"
#include "table/feature_flags.h"
#include "table/refs.h"

namespace lance {
namespace {

Status NoDataset(const TableHandle& handle) {
  return NotFound("Dataset at path ", handle.table.root, " was not found");
}

}  // namespace

Result<TableHandle> TableHandle::Make(const std::string& uri) {
  ARROW_ASSIGN_OR_RAISE(StoreLocation location, ResolveUri(uri));
  return TableHandle{
      uri, {std::move(location.store), std::move(location.path)}, std::make_shared<TableSession>()};
}

Result<std::shared_ptr<const Snapshot>> TableHandle::Open(
    std::shared_ptr<const ManifestFile> file) const {
  Status readable = CheckReadable(file->manifest());
  if (!readable.ok()) {
    return WithPlace(readable, {.path = file->location().path, .version = file->version()});
  }
  return std::make_shared<const Snapshot>(uri, table, std::move(file), session);
}

Result<std::shared_ptr<const Snapshot>> TableHandle::Open(const ManifestLocation& location) const {
  ARROW_ASSIGN_OR_RAISE(auto file,
                        ManifestFile::Read(session->MakeContext(), *table.store, location));
  return Open(std::move(file));
}

Result<std::vector<ManifestLocation>> TableHandle::Versions() const {
  return ListVersions(session->MakeContext(), *table.store, table.root);
}

Result<std::shared_ptr<const Snapshot>> TableHandle::OpenNewestIfAny() const {
  ARROW_ASSIGN_OR_RAISE(auto location,
                        FindLatestVersion(session->MakeContext(), *table.store, table.root));
  if (!location) return nullptr;
  return Open(*location);
}

Result<std::shared_ptr<const Snapshot>> TableHandle::OpenNewest() const {
  ARROW_ASSIGN_OR_RAISE(auto snapshot, OpenNewestIfAny());
  if (snapshot == nullptr) return NoDataset(*this);
  return snapshot;
}

Result<std::shared_ptr<const Snapshot>> TableHandle::OpenVersion(uint64_t version) const {
  for (ManifestNaming naming : {ManifestNaming::kV2, ManifestNaming::kV1}) {
    ManifestLocation location{version, naming, ManifestPath(table.root, version, naming), 0};
    auto snapshot = Open(location);
    if (snapshot.ok() || GetErrorCode(snapshot.status()) != ErrorCode::kNotFound) return snapshot;
  }
  ARROW_ASSIGN_OR_RAISE(auto versions, Versions());
  if (versions.empty()) return NoDataset(*this);
  return NotFound("version ", version, " of the dataset at path ", table.root,
                  " was not found: its versions go from ", versions.front().version, " to ",
                  versions.back().version);
}

Result<std::shared_ptr<const Snapshot>> TableHandle::OpenTag(const std::string& name) const {
  // The newest version tells whether this is a branch; tags lie below the main root.
  ARROW_ASSIGN_OR_RAISE(auto newest, OpenNewest());
  std::string main_root = MainRoot(table.root, newest->manifest());
  ARROW_ASSIGN_OR_RAISE(Tag tag, ReadTag(session->MakeContext(), *table.store, main_root, name));
  TableHandle target = HandleOfBranch(*newest, tag.branch);
  return target.OpenVersion(tag.version);
}

Result<std::shared_ptr<const Snapshot>> TableHandle::OpenAsOf(int64_t time_ns) const {
  ARROW_ASSIGN_OR_RAISE(auto versions, Versions());
  if (versions.empty()) return NoDataset(*this);
  for (auto location = versions.rbegin(); location != versions.rend(); ++location) {
    ARROW_ASSIGN_OR_RAISE(auto snapshot, Open(*location));
    if (snapshot->manifest().timestamp_ns() < time_ns) return snapshot;
  }
  return NotFound("no version of the dataset at path ", table.root,
                  " was committed before the given time; its first one is version ",
                  versions.front().version);
}

Result<std::shared_ptr<const Snapshot>> TableHandle::OpenBranch(
    const BranchVersion& version) const {
  ARROW_ASSIGN_OR_RAISE(auto newest, OpenNewest());
  return OpenReference(*newest, version);
}

Result<std::shared_ptr<const Snapshot>> OpenReference(const Snapshot& snapshot,
                                                      const VersionRef& version) {
  const auto* on_branch = std::get_if<BranchVersion>(&version);
  if (on_branch == nullptr) return HandleOf(snapshot).OpenRef(version);
  TableHandle handle = HandleOfBranch(snapshot, on_branch->branch);
  if (on_branch->version) return handle.OpenVersion(*on_branch->version);
  return handle.OpenNewest();
}

Result<std::shared_ptr<const Snapshot>> TableHandle::OpenRef(const VersionRef& version) const {
  if (const auto* branch = std::get_if<BranchVersion>(&version)) return OpenBranch(*branch);
  if (const auto* number = std::get_if<uint64_t>(&version)) return OpenVersion(*number);
  if (const auto* tag = std::get_if<std::string>(&version)) return OpenTag(*tag);
  return OpenNewest();
}

TableHandle HandleOf(const Snapshot& snapshot) {
  return {snapshot.uri(), snapshot.table(), snapshot.session()};
}

VersionInfo DescribeVersion(const Manifest& manifest) {
  uint64_t data_files = 0;
  uint64_t data_bytes = 0;
  uint64_t data_rows = 0;
  uint64_t deletion_files = 0;
  uint64_t deleted_rows = 0;
  for (const FragmentSummary& fragment : manifest.fragments) {
    data_files += fragment.num_data_files;
    data_bytes += fragment.data_bytes;
    data_rows += fragment.physical_rows;
    deletion_files += fragment.has_deletion_file ? 1 : 0;
    deleted_rows += fragment.num_deleted_rows;
  }
  VersionInfo info;
  info.version = manifest.version();
  info.timestamp_ns = manifest.timestamp_ns();
  info.metadata = {
      {"total_fragments", std::to_string(manifest.fragments.size())},
      {"total_data_files", std::to_string(data_files)},
      {"total_files_size", std::to_string(data_bytes)},
      {"total_deletion_files", std::to_string(deletion_files)},
      {"total_data_file_rows", std::to_string(data_rows)},
      {"total_deletion_file_rows", std::to_string(deleted_rows)},
      {"total_rows", std::to_string(data_rows - deleted_rows)},
  };
  return info;
}

}  // namespace lance
