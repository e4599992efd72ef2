#pragma once

#include <cstdint>

namespace lance::safety {

/// Calls of operator new on this thread so far. 0 under sanitizers, which have their own.
uint64_t AllocationCount();
/// Whether they are counted.
bool CountsAllocations();

}  // namespace lance::safety
