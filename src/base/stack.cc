#include "base/stack.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lance {
namespace {

/// For what is called from there, and for unwinding what was built.
constexpr size_t kReserveBytes = size_t{128} << 10;

/// The address below which a thread has too little left; 0 if that isn't known.
uintptr_t FindLimit() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  if (!known) return 0;
  return reinterpret_cast<uintptr_t>(lowest) + std::min(kReserveBytes, size / 2);
}

}  // namespace

bool StackIsShort() {
  static thread_local const uintptr_t limit = FindLimit();
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < limit;
}

}  // namespace lance
