#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "dataset/open_table.h"
#include "lance/dataset.h"

namespace lance {

/// The handle of a branch (nothing: of the main branch) of the same table.
TableHandle HandleOfBranch(const Snapshot& snapshot, const std::optional<std::string>& branch);
/// The root of the main branch, where the references lie.
std::string MainRootOf(const Snapshot& snapshot);

/// NotFound when a clean-up has deleted the version since it was opened. Who refers to a version
/// looks for it once more when the reference is there: from then on, clean-ups keep it.
Status CheckStillExists(const Snapshot& version);

Status CreateTagOf(const Snapshot& snapshot, const std::string& name, const VersionRef& target);
Status UpdateTag(const Snapshot& snapshot, const std::string& name, const VersionRef& target);
Status RemoveTag(const Snapshot& snapshot, const std::string& name);
Status ReplaceTagMetadata(const Snapshot& snapshot, const std::string& name,
                          std::map<std::string, std::string> metadata);

}  // namespace lance
