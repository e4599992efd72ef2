#pragma once

#include <cstdint>

#include "base/context.h"
#include "base/error.h"
#include "io/object_store.h"

namespace lance {

/// One successful request. `io_stats` may be null.
inline void CountRead(IoStats* io_stats, uint64_t size) {
  for (; io_stats != nullptr; io_stats = io_stats->all_reads) {
    io_stats->reads.fetch_add(1, std::memory_order_relaxed);
    io_stats->read_bytes.fetch_add(size, std::memory_order_relaxed);
  }
}
inline void CountWrite(IoStats* io_stats, uint64_t size) {
  if (io_stats == nullptr) return;
  io_stats->writes.fetch_add(1, std::memory_order_relaxed);
  io_stats->written_bytes.fetch_add(size, std::memory_order_relaxed);
}

/// Corrupt unless the range lies within the object.
Status CheckRange(const RandomReader& reader, uint64_t offset, uint64_t size);

}  // namespace lance
