#pragma once

#include <memory>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>

#include "errors.h"
#include "lance/dataset.h"
#include "pull_into.h"
#include "python_call.h"

namespace lance::python {

/// Tells a Python object with `begin()` and `complete(message)` of the fragments of a write. Made
/// and destroyed with the GIL held.
class FragmentProgress {
 public:
  explicit FragmentProgress(nanobind::handle progress) : progress_(nanobind::borrow(progress)) {}

  /// For a write that runs without the GIL. Refers to this; nothing if there is no object.
  WriteProgress Calls() {
    if (progress_.is_none()) return {};
    return {.begin = [this] { return calls_.Run([this] { progress_.attr("begin")(); }); },
            .complete =
                [this](const std::string& fragment) {
                  return calls_.Run([&] {
                    progress_.attr("complete")(nanobind::bytes(fragment.data(), fragment.size()));
                  });
                }};
  }

  /// Throws what a call raised, if one did. With the GIL held.
  void Rethrow() { calls_.Rethrow(); }

 private:
  nanobind::object progress_;
  PythonCall calls_;
};

/// Runs a write of `data`; an exception of `progress`, which may be None, wins over its error.
template <typename Write>
auto WriteTelling(nanobind::handle progress, nanobind::handle data, WriteOptions options,
                  Write&& write) {
  FragmentProgress calls(progress);
  options.progress = calls.Calls();
  try {
    return PullInto(data, [&](const auto& reader) { return write(reader, options); });
  } catch (const StatusError&) {
    calls.Rethrow();
    throw;
  }
}

}  // namespace lance::python
