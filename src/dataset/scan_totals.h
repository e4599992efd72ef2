#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/context.h"
#include "dataset/scan_plan.h"
#include "lance/dataset.h"

namespace lance {

/// What a scan does, counted while it runs, for those who ask. The scan keeps it alive.
struct ScanTotals {
  explicit ScanTotals(IoStats* all_reads) { io.all_reads = all_reads; }
  /// Of a part of a scan.
  explicit ScanTotals(std::shared_ptr<ScanTotals> scan) : whole(std::move(scan)) {
    io.all_reads = &whole->io;
  }

  const std::shared_ptr<ScanTotals> whole;  ///< null if this is the whole scan
  IoStats io;
  ScanMetrics steps;
  std::atomic<uint64_t> fragments{0};

  /// What a part of the scan, whose reads count here already, has done.
  void AddPart(const ScanTotals& part) {
    steps.Add(part.steps);
    if (part.fragments > fragments) fragments = part.fragments.load();
  }

  /// All steps as one; call when the scan is done.
  PlanMetrics Sum() const {
    PlanMetrics sum{.reads = io.reads, .read_bytes = io.read_bytes};
    sum.rows = steps.whole.first.rows + steps.narrowed.first.rows;
    for (const auto& [step, time] : ToStatistics().nanoseconds) sum.nanoseconds += time;
    return sum;
  }

  ScanStatistics ToStatistics() const {
    ScanStatistics statistics{.reads = io.reads,
                              .read_bytes = io.read_bytes,
                              .fragments = fragments,
                              .rows = steps.whole.first.rows + steps.narrowed.first.rows};
    auto add = [&](const char* name, const StepMetrics& step) {
      if (step.nanoseconds > 0) statistics.nanoseconds[name] += step.nanoseconds;
    };
    add("IndexSearch", steps.search);
    for (const ReadMetrics* reads : {&steps.whole, &steps.narrowed}) {
      add("Read", reads->first);
      add("Filter", reads->filter);
      add("ReadKept", reads->rest);
      add("Output", reads->output);
    }
    return statistics;
  }
};

}  // namespace lance
