#include "safety/faulty_store.h"

namespace lance::safety {
namespace {

Status Lost() { return IoError("the connection is lost"); }

/// Objects that a store may show before they are whole: nobody looks for them by a list.
bool MayShowHalf(const std::string& path) {
  return path.find("/data/") != std::string::npos ||
         path.find("/_deletions/") != std::string::npos ||
         path.find("/_transactions/") != std::string::npos;
}

}  // namespace

FaultyStore::FaultyStore()
    : wrapped_(std::make_shared<WrappedStore>(
          inner_, [this](const StoreCall& call) { return Around(call); })) {}

void FaultyStore::Arm(uint64_t call, Fault fault) {
  faulty_call_ = call;
  fault_ = fault;
  calls_ = 0;
  struck_ = crashed_ = false;
}

void FaultyStore::Disarm() {
  faulty_call_.reset();
  crashed_ = false;
  for (const auto& request : late_) request();
  late_.clear();
}

Status FaultyStore::Around(const StoreCall& call) {
  if (crashed_) return Lost();
  if (calls_++ != faulty_call_) return call.run();
  struck_ = true;
  return Strike(call);
}

Status FaultyStore::Strike(const StoreCall& call) {
  switch (fault_) {
    case Fault::kFail:
      return Lost();
    case Fault::kFailAfter:
      (void)call.run();
      // As a store reports it that has to say whether a version exists.
      if (call.kind == CallKind::kPutIfAbsent) {
        return MakeError(ErrorCode::kCommitUnknown, "the answer is lost");
      }
      return Lost();
    case Fault::kTear:
      return Tear(call);
    case Fault::kDelay:
      return Delay(call);
    case Fault::kCrashAfter:
      (void)call.run();
      [[fallthrough]];
    case Fault::kCrash:
      crashed_ = true;
      return Lost();
  }
  return Lost();
}

Status FaultyStore::Tear(const StoreCall& call) {
  if (!call.content.empty()) {
    bool in_place = call.kind != CallKind::kPutIfAbsent && MayShowHalf(call.path);
    std::string path = in_place ? call.path : call.path + ".0123456789abcdef.tmp";
    ARROW_RETURN_NOT_OK(inner_->Put(Context(), path, call.content.first(call.content.size() / 2)));
  }
  return Lost();
}

Status FaultyStore::Delay(const StoreCall& call) {
  std::vector<uint8_t> content(call.content.begin(), call.content.end());
  switch (call.kind) {
    case CallKind::kPut:
    case CallKind::kFinish:
      late_.emplace_back(
          [this, path = call.path, content] { (void)inner_->Put(Context(), path, content); });
      // Files that are replaced, and looked for by their names.
      if (call.path.find("/_refs/") == std::string::npos) return Lost();
      return MakeError(ErrorCode::kCommitUnknown, "no answer in time");
    case CallKind::kPutIfAbsent:
      late_.emplace_back([this, path = call.path, content] {
        (void)inner_->PutIfAbsent(Context(), path, content);
      });
      return MakeError(ErrorCode::kCommitUnknown, "no answer in time");
    case CallKind::kDelete:
      late_.emplace_back([this, path = call.path] { (void)inner_->Delete(Context(), path); });
      return Lost();
    default:
      return Lost();
  }
}

}  // namespace lance::safety
