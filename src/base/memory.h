#pragma once

#include <cstdint>

#include "arrow/type_fwd.h"

namespace lance {

/// Blocks of at least this size come from the large-block pool.
constexpr int64_t kLargeBlockBytes = 1 << 20;

/// The pool that all decoding allocates from, unless a Context says otherwise.
///
/// Small requests go to malloc. Large ones (≥ 1 MiB) are mapped at 2 MiB alignment,
/// advised to use huge pages, and kept for reuse after being freed, up to a bound (64 MiB):
/// reading into fresh 4 KiB pages costs several times the copy itself. With
/// ARROW_DEFAULT_MEMORY_POOL=system everything goes to the system allocator, so that address
/// sanitizers see each block. Thread-safe.
arrow::MemoryPool* DefaultMemoryPool();
/// The same for writers, who keep less (16 MiB).
arrow::MemoryPool* WriteMemoryPool();

/// Bytes of freed large blocks kept for reuse.
int64_t RetainedLargeBlockBytes();
/// Gives retained blocks back to the system.
void ReleaseRetainedLargeBlocks();

}  // namespace lance
