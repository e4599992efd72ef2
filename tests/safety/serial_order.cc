#include "safety/serial_order.h"

#include <algorithm>

#include "safety/contents.h"

namespace lance::safety {
namespace {

/// Far more than a program of these tests needs.
constexpr uint64_t kMaxTries = 20000;

class Search {
 public:
  Search(const std::vector<const Step*>& steps, const std::vector<ModelVersion>& versions)
      : steps_(steps), versions_(versions), wanted_(ContentsOf(versions.back())) {
    placed_.resize(steps.size());
  }

  SerialOrder Run() {
    if (Extend(versions_[1], 0)) return SerialOrder::kFound;
    return tries_ > kMaxTries ? SerialOrder::kGaveUp : SerialOrder::kNone;
  }

 private:
  /// Whether every step that this one saw has been placed.
  bool IsReady(size_t index) const {
    for (size_t other = 0; other < steps_.size(); ++other) {
      if (!placed_[other] && steps_[other]->outcome.version <= SeenBy(*steps_[index])) return false;
    }
    return true;
  }

  /// A restore goes back behind what it saw.
  static uint64_t SeenBy(const Step& step) {
    return step.operation->kind == OperationKind::kRestore ? step.outcome.version - 1
                                                           : step.outcome.base;
  }

  Result<ModelVersion> Apply(const Step& step, const ModelVersion& state) const {
    // Any address will do, but no two the same.
    uint64_t version = versions_.size() + *state.max_fragment;
    if (step.operation->kind == OperationKind::kCompact) return state;
    if (step.operation->kind == OperationKind::kRestore) {
      ModelVersion restored = versions_[step.outcome.base];
      restored.max_fragment = std::max(state.max_fragment, restored.max_fragment);
      return restored;
    }
    Outcome outcome = step.outcome;
    outcome.counted = false;
    return ApplyToModel(*step.operation, outcome, state, state, version);
  }

  bool Extend(const ModelVersion& state, size_t depth) {
    if (++tries_ > kMaxTries) return false;
    if (depth == steps_.size()) return ContentsOf(state) == wanted_;
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (placed_[i] || !IsReady(i)) continue;
      auto next = Apply(*steps_[i], state);
      if (!next.ok()) continue;
      placed_[i] = true;
      bool found = Extend(*next, depth + 1);
      placed_[i] = false;
      if (found) return true;
    }
    return false;
  }

  const std::vector<const Step*>& steps_;
  const std::vector<ModelVersion>& versions_;
  const Contents wanted_;
  std::vector<bool> placed_;
  uint64_t tries_ = 0;
};

}  // namespace

SerialOrder FindSerialOrder(const std::vector<const Step*>& steps,
                            const std::vector<ModelVersion>& versions) {
  return Search(steps, versions).Run();
}

}  // namespace lance::safety
