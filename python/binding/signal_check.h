#pragma once

#include <chrono>
#include <memory>

#include <nanobind/nanobind.h>

#include "arrow/status.h"

namespace lance::python {

/// Lets Ctrl-C end long work: Poll() handles pending Python signals, every 50 ms at most. To be
/// called without the GIL, on the thread that called from Python (on other threads Python never
/// runs signal handlers). Made and destroyed with the GIL held.
class SignalCheck {
 public:
  SignalCheck() : next_check_(std::chrono::steady_clock::now() + kInterval) {}

  /// Cancelled when a handler raised.
  arrow::Status Poll();
  /// Throws what the handler raised, if one did. With the GIL held.
  void RethrowInterrupt();

 private:
  static constexpr std::chrono::milliseconds kInterval{50};

  std::chrono::steady_clock::time_point next_check_;
  std::unique_ptr<nanobind::python_error> interrupt_;
};

}  // namespace lance::python
