#include "base/memory.h"

#include <pthread.h>

#include <array>

#include "arrow/memory_pool.h"
#include "base/large_block_pool.h"

namespace lance {
namespace {

/// Takes of many rows allocate tens of MiB each time; writers free pages one after the other.
constexpr size_t kMaxRetainedBytes = size_t{64} << 20;
constexpr size_t kMaxRetainedByWriters = size_t{16} << 20;

/// For reading, and for writing.
using Pools = std::array<LargeBlockPool*, 2>;

// Null when Arrow was told to use the system allocator. Never destroyed: buffers may outlive
// every static object.
const Pools& SharedPools() {
  static const Pools pools = []() -> Pools {
    if (arrow::default_memory_pool()->backend_name() == "system") return {};
    // Small blocks from malloc: the arenas of Arrow's own allocators hold tens of MiB that nobody
    // uses.
    return {new LargeBlockPool(arrow::system_memory_pool(), kMaxRetainedBytes),
            new LargeBlockPool(arrow::system_memory_pool(), kMaxRetainedByWriters)};
  }();
  if (pools[0] == nullptr) return pools;
  constexpr auto kUnlock = [] {
    for (LargeBlockPool* pool : SharedPools()) pool->UnlockAfterFork();
  };
  static const int registered = pthread_atfork(
      [] {
        for (LargeBlockPool* pool : SharedPools()) pool->LockForFork();
      },
      kUnlock, kUnlock);
  static_cast<void>(registered);
  return pools;
}

arrow::MemoryPool* PoolOr(LargeBlockPool* pool) {
  return pool != nullptr ? pool : arrow::default_memory_pool();
}

}  // namespace

arrow::MemoryPool* DefaultMemoryPool() { return PoolOr(SharedPools()[0]); }
arrow::MemoryPool* WriteMemoryPool() { return PoolOr(SharedPools()[1]); }

int64_t RetainedLargeBlockBytes() {
  int64_t bytes = 0;
  for (const LargeBlockPool* pool : SharedPools()) {
    if (pool != nullptr) bytes += pool->retained_bytes();
  }
  return bytes;
}

void ReleaseRetainedLargeBlocks() {
  for (LargeBlockPool* pool : SharedPools()) {
    if (pool != nullptr) pool->ReleaseUnused();
  }
}

}  // namespace lance
