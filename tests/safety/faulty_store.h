#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "safety/wrapped_store.h"

namespace lance::safety {

enum class Fault : uint8_t {
  kFail,        ///< an error, and no effect
  kFailAfter,   ///< an error, although it had its effect
  kTear,        ///< an error, and half of what it should write
  kDelay,       ///< an error, and the effect comes later
  kCrash,       ///< the process is gone from here on
  kCrashAfter,  ///< the same, after the effect
};
constexpr Fault kFaults[] = {Fault::kFail,  Fault::kFailAfter, Fault::kTear,
                             Fault::kDelay, Fault::kCrash,     Fault::kCrashAfter};

/// A store in memory that makes one request go wrong.
class FaultyStore {
 public:
  FaultyStore();

  std::shared_ptr<ObjectStore> store() const { return wrapped_; }
  /// The request with this number, counted from now on, goes wrong.
  void Arm(uint64_t call, Fault fault);
  /// Nothing goes wrong any more; what is late arrives.
  void Disarm();
  uint64_t calls() const { return calls_; }
  /// Whether the fault has struck.
  bool struck() const { return struck_; }

 private:
  Status Around(const StoreCall& call);
  Status Strike(const StoreCall& call);
  Status Tear(const StoreCall& call);
  Status Delay(const StoreCall& call);

  std::shared_ptr<ObjectStore> inner_ = MakeMemoryStore();
  std::shared_ptr<ObjectStore> wrapped_;
  uint64_t calls_ = 0;
  std::optional<uint64_t> faulty_call_;
  Fault fault_ = Fault::kFail;
  bool struck_ = false;
  bool crashed_ = false;
  std::vector<std::function<void()>> late_;
};

}  // namespace lance::safety
