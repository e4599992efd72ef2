#pragma once

#include <memory>
#include <span>
#include <utility>

#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// Plans, runs all tasks and commits; also the sum over the tasks. On failure the files that were
/// written are deleted.
Result<std::pair<std::shared_ptr<const Snapshot>, CompactionMetrics>> Compact(
    const std::shared_ptr<const Snapshot>& snapshot, const CompactionOptions& options,
    const Poll& poll);

// The steps of it:

/// Rewrites the live rows of a task's fragments into new files, which no version uses yet.
Result<CompactionResult> RunCompactionTask(const std::shared_ptr<const Snapshot>& snapshot,
                                           const CompactionTask& task,
                                           const CompactionOptions& options, const Poll& poll);
/// Puts the rewritten fragments in the place of the old ones: first a version that reserves their
/// ids, then the one that has them. Without results nothing is committed.
Result<std::shared_ptr<const Snapshot>> CommitCompaction(std::shared_ptr<const Snapshot> snapshot,
                                                         std::span<const CompactionResult> results);

}  // namespace lance
