#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "arrow/memory_pool.h"
#include "base/error.h"

namespace lance {

/// A memory pool that maps large blocks itself and keeps freed ones for reuse; see base/memory.h.
/// Thread-safe. A block is large by its size alone (≥ kLargeBlockBytes), so that Free knows
/// where it came from.
class LargeBlockPool final : public arrow::MemoryPool {
 public:
  /// `small_pool` serves the small blocks and outlives this pool.
  LargeBlockPool(arrow::MemoryPool* small_pool, size_t max_retained_bytes);
  ~LargeBlockPool() override;

  using MemoryPool::Allocate;
  using MemoryPool::Free;
  using MemoryPool::Reallocate;
  Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                    uint8_t** pointer) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;
  void ReleaseUnused() override;

  int64_t bytes_allocated() const override { return stats_.bytes_allocated(); }
  int64_t max_memory() const override { return stats_.max_memory(); }
  int64_t total_bytes_allocated() const override { return stats_.total_bytes_allocated(); }
  int64_t num_allocations() const override { return stats_.num_allocations(); }
  std::string backend_name() const override { return "lance"; }

  int64_t retained_bytes() const;

  /// Around fork(): no other thread holds the lock in the child.
  void LockForFork() { mutex_.lock(); }
  void UnlockAfterFork() { mutex_.unlock(); }

 private:
  struct Block {
    uint8_t* data;
    size_t capacity;
  };

  Status AllocateLarge(size_t size, size_t alignment, uint8_t** out);
  void FreeLarge(uint8_t* data);
  /// Changes the size of a large block to another large size; `*pointer` moves at need.
  Status ResizeLarge(size_t old_size, size_t new_size, size_t alignment, uint8_t** pointer);
  bool TakeRetained(size_t size, size_t alignment, Block* out);
  size_t CapacityOf(uint8_t* data) const;
  void SetCapacity(uint8_t* data, size_t capacity);

  arrow::MemoryPool* const small_pool_;
  const size_t max_retained_bytes_;
  arrow::internal::MemoryPoolStats stats_;

  mutable std::mutex mutex_;
  // Guarded by mutex_. Blocks in use: a reused block may be larger than its size tells.
  std::unordered_map<uint8_t*, size_t> capacities_;
  // Freed blocks, the longest unused first. At most max_retained_bytes_ / kLargeBlockBytes, so a
  // scan is cheap compared with the use of a block.
  std::vector<Block> retained_;
  size_t retained_bytes_ = 0;
};

}  // namespace lance
