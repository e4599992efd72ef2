#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/context.h"
#include "base/error.h"

namespace lance {

/// Threads used for work that is too large for the caller's thread alone: the number of
/// cores, or LANCE_CPU_THREADS. The caller counts as one of them: with 1, everything runs inline.
int CpuThreads();
/// For tests and embedders; takes effect for later calls.
void SetCpuThreads(int threads);

/// Runs task(0) … task(count - 1) and returns the first error (by index). The calling thread
/// works too, so that this may be called from inside a task without a deadlock; with one CPU
/// thread or one task everything runs on the caller. Tasks not yet started when one fails or the
/// context is stopped are skipped. Exceptions of a task become a Status.
///
/// After fork() the child makes its threads anew on first use.
Status ParallelFor(const Context& context, size_t count, const std::function<Status(size_t)>& task);

/// Runs `task` on a pool thread; used for bounded read-ahead (see OrderedWindow).
/// The task must not block on other tasks.
void Submit(std::function<void()> task);

}  // namespace lance
