#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include "arrow/memory_pool.h"
#include "arrow/status.h"

namespace lance {

/// For tests: a pool that refuses to hold more bytes at once than a limit, and remembers that it
/// had to. Thread-safe but for SetLimit().
class LimitedPool final : public arrow::MemoryPool {
 public:
  void SetLimit(int64_t limit) {
    limit_ = limit;
    refused_ = 0;
  }
  /// The largest sum that was refused since SetLimit(); 0 if none was.
  int64_t refused() const { return refused_; }

  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override {
    ARROW_RETURN_NOT_OK(Take(size));
    arrow::Status status = pool_->Allocate(size, alignment, out);
    if (!status.ok()) held_ -= size;
    return status;
  }
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** pointer) override {
    ARROW_RETURN_NOT_OK(Take(new_size - old_size));
    arrow::Status status = pool_->Reallocate(old_size, new_size, alignment, pointer);
    if (!status.ok()) held_ -= new_size - old_size;
    return status;
  }
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override {
    held_ -= size;
    pool_->Free(buffer, size, alignment);
  }
  int64_t bytes_allocated() const override { return held_; }
  int64_t total_bytes_allocated() const override { return pool_->total_bytes_allocated(); }
  int64_t num_allocations() const override { return pool_->num_allocations(); }
  std::string backend_name() const override { return "limited"; }

 private:
  arrow::Status Take(int64_t size) {
    const int64_t sum = held_ += size;
    if (sum <= limit_) return arrow::Status::OK();
    held_ -= size;
    refused_ = std::max(refused_.load(), sum);
    return arrow::Status::OutOfMemory("more than the limit of this test");
  }

  arrow::MemoryPool* pool_ = arrow::system_memory_pool();
  int64_t limit_ = 0;
  std::atomic<int64_t> held_{0};
  std::atomic<int64_t> refused_{0};
};

}  // namespace lance
