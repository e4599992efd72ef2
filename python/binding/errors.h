#pragma once

#include <exception>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>

#include "arrow/result.h"
#include "arrow/status.h"

namespace lance::python {

/// A failed Status on its way to Python. Lives inside the binding only: there it becomes
/// `lancecpp._core.CoreError(code, text, place)`, and the Python layer picks the class users see.
class StatusError final : public std::exception {
 public:
  explicit StatusError(arrow::Status status) : status_(std::move(status)) {}
  const char* what() const noexcept override { return "lance::python::StatusError"; }
  const arrow::Status& status() const { return status_; }

 private:
  arrow::Status status_;
};

inline void Check(const arrow::Status& status) {
  if (!status.ok()) throw StatusError(status);
}

template <typename T>
T Unwrap(arrow::Result<T> result) {
  Check(result.status());
  return std::move(result).MoveValueUnsafe();
}

/// Runs `work` with the GIL released. `work` must not touch Python objects.
template <typename Work>
auto WithoutGil(Work&& work) {
  nanobind::gil_scoped_release release;
  return work();
}

/// Adds the class CoreError to the module and makes StatusError raise it.
void BindErrors(nanobind::module_& module);

}  // namespace lance::python
