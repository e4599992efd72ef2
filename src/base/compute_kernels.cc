#include "base/compute_kernels.h"

#include <mutex>

#include "arrow/compute/initialize.h"

namespace lance {

Status InitializeComputeKernels() {
  static std::once_flag once;
  static Status status;
  std::call_once(once, [] { status = arrow::compute::Initialize(); });
  return status;
}

}  // namespace lance
