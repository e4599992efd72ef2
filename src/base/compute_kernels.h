#pragma once

#include "base/error.h"

namespace lance {

/// Makes Arrow's compute kernels known. To be called before any of them is; only the first call
/// costs something.
Status InitializeComputeKernels();

}  // namespace lance
