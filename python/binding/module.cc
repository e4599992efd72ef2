#include <nanobind/nanobind.h>

#include "bindings.h"
#include "errors.h"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  module.doc() =
      "The C++ engine behind lancecpp. Internal: use the classes and functions of lancecpp.";
  // What is still alive when the interpreter ends is no business of the user's terminal.
  nb::set_leak_warnings(false);
  module.attr("__version__") = LANCE_VERSION;
  lance::python::BindErrors(module);
  lance::python::BindRecords(module);
  lance::python::BindOptions(module);
  lance::python::BindBlob(module);
  lance::python::BindDataset(module);
  lance::python::BindMove(module);
  lance::python::BindFilters(module);
  lance::python::BindFile(module);
}
