#pragma once

#include <memory>
#include <utility>

#include <nanobind/nanobind.h>

#include "arrow_exchange.h"
#include "errors.h"
#include "interruptible_reader.h"

namespace lance::python {

/// Runs a write that pulls `data` through a reader; an exception of a signal handler wins over the
/// write's error.
template <typename Write>
auto PullInto(nanobind::handle data, Write&& write) {
  auto reader = std::make_shared<InterruptibleReader>(ReaderFromPython(data));
  auto written = WithoutGil([&] { return write(reader); });
  if (!written.ok()) reader->RethrowInterrupt();
  return Unwrap(std::move(written));
}

/// The same of a change that has no data, but takes what is to be polled.
template <typename Change>
auto RunInterruptibly(Change&& change) {
  SignalCheck signals;
  auto changed = WithoutGil([&] { return change([&signals] { return signals.Poll(); }); });
  if (!changed.ok()) signals.RethrowInterrupt();
  return Unwrap(std::move(changed));
}

}  // namespace lance::python
