#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/context.h"

namespace lance {

/// What a step of a scan has done so far, over all threads.
struct StepMetrics {
  std::atomic<uint64_t> rows{0};  ///< that came out of it
  std::atomic<uint64_t> nanoseconds{0};
  IoStats io;

  void Add(const StepMetrics& other) {
    rows += other.rows;
    nanoseconds += other.nanoseconds;
    io.reads += other.io.reads;
    io.read_bytes += other.io.read_bytes;
  }
};

/// Measures one run of a step until it is destroyed.
class StepTimer {
 public:
  explicit StepTimer(StepMetrics* metrics)
      : metrics_(metrics), started_(std::chrono::steady_clock::now()) {}
  ~StepTimer() {
    auto passed = std::chrono::steady_clock::now() - started_;
    metrics_->nanoseconds +=
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
  }
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;

  void AddRows(uint64_t rows) { metrics_->rows += rows; }

 private:
  StepMetrics* metrics_;
  std::chrono::steady_clock::time_point started_;
};

/// The same, and counts the requests of a context that it makes; they count for the original
/// context too.
class CountedReads {
 public:
  CountedReads(const Context& context, StepMetrics* metrics)
      : timer_(metrics), metrics_(metrics), context_(context) {
    own_.all_reads = context.io_stats;
    context_.io_stats = &own_;
  }
  ~CountedReads() {
    metrics_->io.reads += own_.reads;
    metrics_->io.read_bytes += own_.read_bytes;
  }
  CountedReads(const CountedReads&) = delete;
  CountedReads& operator=(const CountedReads&) = delete;

  const Context& context() const { return context_; }
  void AddRows(uint64_t rows) { timer_.AddRows(rows); }

 private:
  StepTimer timer_;
  StepMetrics* metrics_;
  IoStats own_;
  Context context_;
};

}  // namespace lance
