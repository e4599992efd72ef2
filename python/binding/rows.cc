#include <chrono>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "errors.h"

namespace nb = nanobind;
using namespace nanobind::literals;  // NOLINT: "name"_a

namespace lance::python {
namespace {

using Counted = std::pair<std::shared_ptr<Dataset>, uint64_t>;

ConflictRetries RetriesOf(uint32_t max_retries, double timeout_seconds) {
  std::chrono::duration<double> seconds(timeout_seconds);
  return {max_retries, std::chrono::duration_cast<std::chrono::nanoseconds>(seconds)};
}

Counted Delete(const Dataset& dataset, const std::string& predicate, uint32_t max_retries,
               double timeout_seconds) {
  auto retries = RetriesOf(max_retries, timeout_seconds);
  return Unwrap(WithoutGil([&] { return dataset.Delete(predicate, retries); }));
}

Counted Update(const Dataset& dataset, const std::map<std::string, std::string>& updates,
               const std::optional<std::string>& where, uint32_t max_retries,
               double timeout_seconds) {
  auto retries = RetriesOf(max_retries, timeout_seconds);
  return Unwrap(WithoutGil([&] { return dataset.Update(updates, where, retries); }));
}

}  // namespace

void BindRows(nb::class_<Dataset>& dataset) {
  dataset.def("delete", &Delete, "predicate"_a, "max_retries"_a, "timeout_seconds"_a)
      .def("update", &Update, "updates"_a, "where"_a.none(), "max_retries"_a, "timeout_seconds"_a);
}

}  // namespace lance::python
