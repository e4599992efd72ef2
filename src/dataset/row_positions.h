#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// Positions among the live rows, in the order of `rows`. Rows that don't exist (any more) are
/// errors. Stable row ids are looked for in all fragments.
Result<std::vector<uint64_t>> PositionsOf(const Snapshot& snapshot, RowKey key,
                                          std::span<const uint64_t> rows);

}  // namespace lance
