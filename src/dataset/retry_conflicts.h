#pragma once

#include <functional>
#include <memory>

#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// Runs an operation, and again from the newest version while it ends in RetryableConflict.
Result<std::shared_ptr<const Snapshot>> RetryConflicts(
    std::shared_ptr<const Snapshot> snapshot, const ConflictRetries& retries,
    const std::function<Result<std::shared_ptr<const Snapshot>>(
        const std::shared_ptr<const Snapshot>&)>& operation);

}  // namespace lance
