#pragma once

#include <memory>

#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// Deletes old versions and the files that only they used, and files that no version uses and that
/// are too old to belong to a write under way (spec/table-format.md §10).
Result<CleanupStats> CleanUpOldVersions(const Snapshot& snapshot, const CleanupPolicy& policy);

}  // namespace lance
