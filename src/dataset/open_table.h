#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// A table that is not open yet: its place, and what its versions will share.
struct TableHandle {
  std::string uri;
  TableLocation table;
  std::shared_ptr<const TableSession> session;

  static Result<TableHandle> Make(const std::string& uri);

  /// The version of `file` in this table.
  Result<std::shared_ptr<const Snapshot>> Open(std::shared_ptr<const ManifestFile> file) const;
  Result<std::shared_ptr<const Snapshot>> Open(const ManifestLocation& location) const;
  /// The newest version, or null when there is no table.
  Result<std::shared_ptr<const Snapshot>> OpenNewestIfAny() const;
  /// NotFound with the path when there is no table.
  Result<std::shared_ptr<const Snapshot>> OpenNewest() const;
  Result<std::shared_ptr<const Snapshot>> OpenVersion(uint64_t version) const;
  Result<std::shared_ptr<const Snapshot>> OpenTag(const std::string& name) const;
  /// The newest version committed strictly before.
  Result<std::shared_ptr<const Snapshot>> OpenAsOf(int64_t time_ns) const;
  Result<std::shared_ptr<const Snapshot>> OpenBranch(const BranchVersion& version) const;
  Result<std::shared_ptr<const Snapshot>> OpenRef(const VersionRef& version) const;

  Result<std::vector<ManifestLocation>> Versions() const;
};

/// The handle that a snapshot was opened from.
TableHandle HandleOf(const Snapshot& snapshot);
/// A version of the same table; a version of another branch is opened there.
Result<std::shared_ptr<const Snapshot>> OpenReference(const Snapshot& snapshot,
                                                      const VersionRef& version);

VersionInfo DescribeVersion(const Manifest& manifest);

}  // namespace lance
