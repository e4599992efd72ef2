#pragma once

#include <cstdint>
#include <vector>

#include <nanobind/nanobind.h>

namespace lance::python {

/// Row positions from a sequence of ints, a pyarrow Array or a buffer of integers (numpy).
/// Raises TypeError for what is no int, OverflowError for what is no uint64. Needs the GIL.
std::vector<uint64_t> RowPositionsFromPython(nanobind::handle indices);

}  // namespace lance::python
