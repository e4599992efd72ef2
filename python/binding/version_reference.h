#pragma once

#include <nanobind/nanobind.h>

#include "lance/dataset.h"

namespace lance::python {

/// None (the newest version), a number, the name of a tag, or a tuple of a branch (None: main) and
/// a number (None: the newest).
VersionRef VersionFromPython(nanobind::handle version);

}  // namespace lance::python
