#pragma once

#include <cstdint>

namespace lance {

/// What an operation may keep in memory of data that it needs all of, such as the source of a
/// merge-insert; the rest goes to temporary files. 512 MiB, or the bytes that the environment
/// variable LANCE_MEM_POOL_SIZE says.
uint64_t DefaultMemoryBudget();

}  // namespace lance
