#include "base/context.h"

#include "arrow/memory_pool.h"
#include "base/memory.h"

namespace lance {

arrow::MemoryPool* Context::pool() const {
  return memory_pool != nullptr ? memory_pool : DefaultMemoryPool();
}

Status Context::CheckStop() const {
  if (!stop.IsStopRequested()) return Status::OK();
  Status reason = stop.Poll();
  // The request may have been withdrawn in between.
  if (reason.ok()) return Status::OK();
  return MakeError(ErrorCode::kCancelled, reason.message());
}

}  // namespace lance
