#include "dataset/retry_conflicts.h"

#include <chrono>

#include "dataset/open_table.h"

namespace lance {

Result<std::shared_ptr<const Snapshot>> RetryConflicts(
    std::shared_ptr<const Snapshot> snapshot, const ConflictRetries& retries,
    const std::function<Result<std::shared_ptr<const Snapshot>>(
        const std::shared_ptr<const Snapshot>&)>& operation) {
  auto start = std::chrono::steady_clock::now();
  for (uint32_t retry = 0;; ++retry) {
    auto done = operation(snapshot);
    bool again = !done.ok() && GetErrorCode(done.status()) == ErrorCode::kRetryableConflict &&
                 retry < retries.max_retries &&
                 std::chrono::steady_clock::now() - start < retries.timeout;
    if (!again) return done;
    ARROW_ASSIGN_OR_RAISE(snapshot, HandleOf(*snapshot).OpenNewest());
  }
}

}  // namespace lance
