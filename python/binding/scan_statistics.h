#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <nanobind/nanobind.h>

#include "lance/dataset.h"

namespace lance::python {

/// Hands what a scan took to a Python object, which raises KeyboardInterrupt at most: that is
/// raised again when the scan has returned. Copied and destroyed with or without the GIL.
class StatisticsCallback {
 public:
  explicit StatisticsCallback(nanobind::object callback)
      : callback_(new nanobind::object(std::move(callback)), [](nanobind::object* object) {
          nanobind::gil_scoped_acquire acquire;
          delete object;
        }) {}

  void operator()(const ScanStatistics& statistics) const {
    nanobind::gil_scoped_acquire acquire;
    try {
      (*callback_)(statistics);
    } catch (nanobind::python_error& error) {
      if (error.matches(PyExc_KeyboardInterrupt)) {
        PyErr_SetInterrupt();
      } else {
        error.discard_as_unraisable("scan_stats_callback");
      }
    }
  }

  const nanobind::object& object() const { return *callback_; }

 private:
  std::shared_ptr<nanobind::object> callback_;
};

}  // namespace lance::python
