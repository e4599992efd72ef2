#pragma once

#include <map>
#include <memory>
#include <string>

#include "dataset/open_table.h"
#include "table/branches.h"

namespace lance {

/// Starts a branch from a version and opens it.
Result<std::shared_ptr<const Snapshot>> CreateBranch(const Snapshot& snapshot,
                                                     const std::string& name,
                                                     const VersionRef& start);
Result<std::map<std::string, Branch>> BranchesOf(const Snapshot& snapshot);
/// Of one without an entry, what an interrupted creation or deletion left is deleted. Refused while
/// other branches come from it or a tag points to it.
Status RemoveBranch(const Snapshot& snapshot, const std::string& name);
Status ReplaceBranchMetadata(const Snapshot& snapshot, const std::string& name,
                             std::map<std::string, std::string> metadata);

}  // namespace lance
