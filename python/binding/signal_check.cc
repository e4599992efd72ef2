#include "signal_check.h"

namespace nb = nanobind;

namespace lance::python {

arrow::Status SignalCheck::Poll() {
  auto now = std::chrono::steady_clock::now();
  if (now < next_check_) return arrow::Status::OK();
  next_check_ = now + kInterval;
  nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() == 0) return arrow::Status::OK();
  interrupt_ = std::make_unique<nb::python_error>();
  return arrow::Status::Cancelled("interrupted");
}

void SignalCheck::RethrowInterrupt() {
  if (interrupt_ == nullptr) return;
  nb::python_error raised = *interrupt_;
  interrupt_.reset();
  throw raised;
}

}  // namespace lance::python
