#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "base/error.h"

namespace lance {

/// Exact counters of what went to the store. Thread-safe.
struct IoStats {
  std::atomic<uint64_t> reads{0};  ///< requests after coalescing
  std::atomic<uint64_t> read_bytes{0};
  std::atomic<uint64_t> writes{0};
  std::atomic<uint64_t> written_bytes{0};
  /// Null, or counts the same reads too; outlives this.
  IoStats* all_reads = nullptr;
};

/// What a call carries from the verb down to the store. Passed by reference; the pointers are
/// borrowed and outlive the call.
struct Context {
  arrow::StopToken stop = arrow::StopToken::Unstoppable();
  /// Null means DefaultMemoryPool().
  arrow::MemoryPool* memory_pool = nullptr;
  /// May be null.
  IoStats* io_stats = nullptr;

  arrow::MemoryPool* pool() const;
  /// OK, or the Cancelled error to return.
  Status CheckStop() const;
};

}  // namespace lance
