#include "base/memory.h"

#include <pthread.h>

#include "arrow/memory_pool.h"
#include "base/large_block_pool.h"

namespace lance {
namespace {

constexpr size_t kMaxRetainedBytes = size_t{16} << 20;

// Null when Arrow was told to use the system allocator. Never destroyed: buffers may outlive
// every static object.
LargeBlockPool* SharedPool() {
  static LargeBlockPool* const pool = []() -> LargeBlockPool* {
    if (arrow::default_memory_pool()->backend_name() == "system") return nullptr;
    // Small blocks from malloc: the arenas of Arrow's own allocators hold tens of MiB that nobody
    // uses.
    return new LargeBlockPool(arrow::system_memory_pool(), kMaxRetainedBytes);
  }();
  if (pool == nullptr) return nullptr;
  static const int registered =
      pthread_atfork([] { SharedPool()->LockForFork(); }, [] { SharedPool()->UnlockAfterFork(); },
                     [] { SharedPool()->UnlockAfterFork(); });
  static_cast<void>(registered);
  return pool;
}

}  // namespace

arrow::MemoryPool* DefaultMemoryPool() {
  LargeBlockPool* pool = SharedPool();
  return pool != nullptr ? pool : arrow::default_memory_pool();
}

int64_t RetainedLargeBlockBytes() {
  LargeBlockPool* pool = SharedPool();
  return pool != nullptr ? pool->retained_bytes() : 0;
}

void ReleaseRetainedLargeBlocks() {
  if (LargeBlockPool* pool = SharedPool()) pool->ReleaseUnused();
}

}  // namespace lance
