#include "table/ref_file.h"

#include "arrow/buffer.h"

namespace lance {
namespace {

/// Of a request that had no clear answer.
constexpr int kMaxRepeats = 3;

}  // namespace

Status CreateRefFile(const Context& context, ObjectStore& store, const std::string& path,
                     const std::string& content) {
  Status put = store.PutIfAbsent(context, path, AsBytes(content));
  // The request may still be on its way: a further one decides.
  for (int i = 0; i < kMaxRepeats && GetErrorCode(put) == ErrorCode::kCommitUnknown; ++i) {
    put = store.PutIfAbsent(context, path, AsBytes(content));
  }
  if (put.ok()) return put;
  // A stop request must not keep us from learning what happened.
  Context unstoppable = context;
  unstoppable.stop = arrow::StopToken::Unstoppable();
  auto found = store.Get(unstoppable, path);
  return found.ok() && (*found)->ToString() == content ? Status::OK() : put;
}

}  // namespace lance
