#include "base/large_block_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/memory.h"

namespace lance {
namespace {

constexpr size_t kHugePageBytes = size_t{2} << 20;
// Blocks that would waste too much as whole huge pages are multiples of this.
constexpr size_t kBlockStepBytes = size_t{256} << 10;

size_t RoundUp(size_t value, size_t step) { return (value + step - 1) / step * step; }

// A retained block serves a request if at most a quarter more than asked for is tied up.
size_t MostCapacityFor(size_t size) { return size + size / 4; }

size_t CapacityFor(size_t size) {
  size_t whole = RoundUp(size, kHugePageBytes);
  return whole <= MostCapacityFor(size) ? whole : RoundUp(size, kBlockStepBytes);
}

bool IsAligned(const uint8_t* data, size_t alignment) {
  return reinterpret_cast<uintptr_t>(data) % alignment == 0;
}

void Unmap(uint8_t* data, size_t size) {
  if (size != 0) munmap(data, size);
}

// Maps `capacity` bytes at `alignment` (a power of two); null if the system has no memory.
uint8_t* MapAligned(size_t capacity, size_t alignment) {
  size_t mapped = capacity + alignment;
  void* start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  uint8_t* begin = static_cast<uint8_t*>(start);
  size_t skip = (alignment - reinterpret_cast<uintptr_t>(begin) % alignment) % alignment;
  Unmap(begin, skip);
  Unmap(begin + skip + capacity, mapped - skip - capacity);
  // Only advice: without huge pages the block works as well.
  madvise(begin + skip, capacity, MADV_HUGEPAGE);
  return begin + skip;
}

}  // namespace

LargeBlockPool::LargeBlockPool(arrow::MemoryPool* small_pool, size_t max_retained_bytes)
    : small_pool_(small_pool), max_retained_bytes_(max_retained_bytes) {}

LargeBlockPool::~LargeBlockPool() { ReleaseUnused(); }

Status LargeBlockPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  if (size < kLargeBlockBytes) {
    ARROW_RETURN_NOT_OK(small_pool_->Allocate(size, alignment, out));
  } else {
    ARROW_RETURN_NOT_OK(
        AllocateLarge(static_cast<size_t>(size), static_cast<size_t>(alignment), out));
  }
  stats_.DidAllocateBytes(size);
  return Status::OK();
}

void LargeBlockPool::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
  if (size < kLargeBlockBytes) {
    small_pool_->Free(buffer, size, alignment);
  } else {
    FreeLarge(buffer);
  }
  stats_.DidFreeBytes(size);
}

Status LargeBlockPool::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                                  uint8_t** pointer) {
  bool was_large = old_size >= kLargeBlockBytes;
  bool is_large = new_size >= kLargeBlockBytes;
  if (!was_large && !is_large) {
    ARROW_RETURN_NOT_OK(small_pool_->Reallocate(old_size, new_size, alignment, pointer));
  } else if (was_large && is_large) {
    ARROW_RETURN_NOT_OK(ResizeLarge(static_cast<size_t>(old_size), static_cast<size_t>(new_size),
                                    static_cast<size_t>(alignment), pointer));
  } else {
    uint8_t* moved = nullptr;
    if (is_large) {
      ARROW_RETURN_NOT_OK(
          AllocateLarge(static_cast<size_t>(new_size), static_cast<size_t>(alignment), &moved));
      std::memcpy(moved, *pointer, static_cast<size_t>(old_size));
      small_pool_->Free(*pointer, old_size, alignment);
    } else {
      ARROW_RETURN_NOT_OK(small_pool_->Allocate(new_size, alignment, &moved));
      std::memcpy(moved, *pointer, static_cast<size_t>(new_size));
      FreeLarge(*pointer);
    }
    *pointer = moved;
  }
  stats_.DidReallocateBytes(old_size, new_size);
  return Status::OK();
}

void LargeBlockPool::ReleaseUnused() {
  std::vector<Block> released;
  {
    std::lock_guard lock(mutex_);
    released.swap(retained_);
    retained_bytes_ = 0;
  }
  for (const Block& block : released) Unmap(block.data, block.capacity);
}

int64_t LargeBlockPool::retained_bytes() const {
  std::lock_guard lock(mutex_);
  return static_cast<int64_t>(retained_bytes_);
}

Status LargeBlockPool::AllocateLarge(size_t size, size_t alignment, uint8_t** out) {
  alignment = std::max(alignment, kHugePageBytes);
  // No address space is that large, and the sums below must not overflow.
  constexpr size_t kMostBytes = size_t{1} << 60;
  if (size > kMostBytes || alignment > kMostBytes) {
    return Status::OutOfMemory("allocation of ", size, " bytes failed: larger than memory");
  }
  Block block{};
  if (!TakeRetained(size, alignment, &block)) {
    block.capacity = CapacityFor(size);
    block.data = MapAligned(block.capacity, alignment);
    if (block.data == nullptr) {
      // Retained blocks count against the limits of the process too.
      ReleaseUnused();
      block.data = MapAligned(block.capacity, alignment);
    }
    if (block.data == nullptr) {
      return Status::OutOfMemory("allocation of ", size, " bytes failed: ", std::strerror(errno));
    }
  }
  SetCapacity(block.data, block.capacity);
  *out = block.data;
  return Status::OK();
}

void LargeBlockPool::FreeLarge(uint8_t* data) {
  std::vector<Block> released;
  {
    std::lock_guard lock(mutex_);
    auto found = capacities_.find(data);
    Block block{data, found->second};
    capacities_.erase(found);
    retained_.push_back(block);
    retained_bytes_ += block.capacity;
    size_t oldest = 0;
    while (retained_bytes_ > max_retained_bytes_) {
      retained_bytes_ -= retained_[oldest].capacity;
      released.push_back(retained_[oldest++]);
    }
    retained_.erase(retained_.begin(), retained_.begin() + static_cast<ptrdiff_t>(oldest));
  }
  for (const Block& block : released) Unmap(block.data, block.capacity);
}

bool LargeBlockPool::TakeRetained(size_t size, size_t alignment, Block* out) {
  std::lock_guard lock(mutex_);
  size_t best = retained_.size();
  for (size_t i = 0; i < retained_.size(); ++i) {
    const Block& block = retained_[i];
    if (block.capacity < size ||
        block.capacity > std::max(MostCapacityFor(size), CapacityFor(size))) {
      continue;
    }
    if (!IsAligned(block.data, alignment)) continue;
    // Of equals the most recently freed: it is the likeliest to be in a cache.
    if (best == retained_.size() || block.capacity <= retained_[best].capacity) best = i;
  }
  if (best == retained_.size()) return false;
  *out = retained_[best];
  retained_bytes_ -= out->capacity;
  retained_.erase(retained_.begin() + static_cast<ptrdiff_t>(best));
  return true;
}

Status LargeBlockPool::ResizeLarge(size_t old_size, size_t new_size, size_t alignment,
                                   uint8_t** pointer) {
  size_t capacity = CapacityOf(*pointer);
  size_t wanted = CapacityFor(new_size);
  if (new_size <= capacity) {
    // Gives the tail back if too much would stay tied up.
    if (capacity > MostCapacityFor(new_size) && wanted < capacity) {
      Unmap(*pointer + wanted, capacity - wanted);
      SetCapacity(*pointer, wanted);
    }
    return Status::OK();
  }
  // Growing in place costs neither a copy nor new pages for the old part. Elsewhere a block is
  // made by copying, so that it can be one of the retained ones.
  if (mremap(*pointer, capacity, wanted, 0) != MAP_FAILED) {
    SetCapacity(*pointer, wanted);
    return Status::OK();
  }
  uint8_t* moved = nullptr;
  ARROW_RETURN_NOT_OK(AllocateLarge(new_size, alignment, &moved));
  std::memcpy(moved, *pointer, old_size);
  FreeLarge(*pointer);
  *pointer = moved;
  return Status::OK();
}

size_t LargeBlockPool::CapacityOf(uint8_t* data) const {
  std::lock_guard lock(mutex_);
  return capacities_.at(data);
}

void LargeBlockPool::SetCapacity(uint8_t* data, size_t capacity) {
  std::lock_guard lock(mutex_);
  capacities_[data] = capacity;
}

}  // namespace lance
