#include "interruptible_reader.h"

namespace nb = nanobind;

namespace lance::python {

arrow::Status InterruptibleReader::ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) {
  auto now = std::chrono::steady_clock::now();
  if (now >= next_check_) {
    next_check_ = now + kInterval;
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) {
      interrupt_ = std::make_unique<nb::python_error>();
      return arrow::Status::Cancelled("interrupted");
    }
  }
  return source_->ReadNext(batch);
}

void InterruptibleReader::RethrowInterrupt() {
  if (interrupt_ == nullptr) return;
  nb::python_error raised = *interrupt_;
  interrupt_.reset();
  throw raised;
}

}  // namespace lance::python
