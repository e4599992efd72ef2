#pragma once

#include <memory>

#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// Which fragments to rewrite into which groups (spec/table-format.md §8.8). Deterministic: reads
/// the manifest and its index entries only.
Result<CompactionPlan> PlanCompaction(const Snapshot& snapshot, const CompactionOptions& options);

}  // namespace lance
