#include "version_reference.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace lance::python {

VersionRef VersionFromPython(nb::handle version) {
  if (version.is_none()) return std::monostate();
  if (nb::isinstance<nb::str>(version)) return nb::cast<std::string>(version);
  if (nb::isinstance<nb::tuple>(version)) {
    auto pair = nb::cast<nb::tuple>(version);
    return BranchVersion{nb::cast<std::optional<std::string>>(pair[0]),
                         nb::cast<std::optional<uint64_t>>(pair[1])};
  }
  return nb::cast<uint64_t>(version);
}

}  // namespace lance::python
