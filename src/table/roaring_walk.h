#pragma once

#include <cstdint>
#include <functional>

#include "base/byte_reader.h"
#include "base/error.h"

namespace lance {

/// Reads a serialized 32-bit Roaring bitmap (the portable form) container by container, checking
/// everything: key order, cardinality against content, offsets, sorted values, runs sorted and
/// apart. Bytes that pass are safe to give to a Roaring library.
///
/// `visit(first, count)` gets runs of values, ascending, that don't touch within a container.
/// Returns how many bytes the bitmap took.
///
///   u32 cookie: 12346, then u32 containers; or 12347 | (containers - 1) << 16, then one bit per
///               container that says whether it holds runs
///   per container: u16 key (upper half of its values), u16 cardinality - 1
///   per container: u32 offset from the start; left out with cookie 12347 and under 4 containers
///   containers: runs: u16 count, then (u16 first, u16 length - 1) each;
///               at most 4096 values: u16 each; more: a bitmap of 8192 bytes
Result<uint64_t> WalkRoaring(Bytes bytes,
                             const std::function<void(uint32_t first, uint64_t count)>& visit);

}  // namespace lance
