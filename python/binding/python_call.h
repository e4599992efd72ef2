#pragma once

#include <memory>
#include <utility>

#include <nanobind/nanobind.h>

#include "arrow/status.h"

namespace lance::python {

/// Calls into Python from work that runs without the GIL, and keeps what they raise. Made and
/// destroyed with the GIL held.
class PythonCall {
 public:
  /// Cancelled if `work` raised.
  template <typename Work>
  arrow::Status Run(Work&& work) {
    nanobind::gil_scoped_acquire acquire;
    try {
      work();
    } catch (nanobind::python_error& error) {
      raised_ = std::make_unique<nanobind::python_error>(std::move(error));
      return arrow::Status::Cancelled("a call into Python raised an exception");
    }
    return arrow::Status::OK();
  }

  /// Throws what a call raised, if one did. With the GIL held.
  void Rethrow() {
    if (raised_ == nullptr) return;
    nanobind::python_error raised = *raised_;
    raised_.reset();
    throw raised;
  }

 private:
  std::unique_ptr<nanobind::python_error> raised_;
};

}  // namespace lance::python
