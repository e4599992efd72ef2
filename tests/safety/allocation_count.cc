#include "safety/allocation_count.h"

#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LANCE_COUNT_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LANCE_COUNT_ALLOCATIONS 0
#endif
#endif
#ifndef LANCE_COUNT_ALLOCATIONS
#define LANCE_COUNT_ALLOCATIONS 1
#endif

namespace {

thread_local uint64_t allocations = 0;

}  // namespace

#if LANCE_COUNT_ALLOCATIONS
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace lance::safety {

uint64_t AllocationCount() { return allocations; }
bool CountsAllocations() { return LANCE_COUNT_ALLOCATIONS != 0; }

}  // namespace lance::safety
