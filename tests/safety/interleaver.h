#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <semaphore>
#include <vector>

namespace lance::safety {

/// Runs functions on threads of their own, of which one runs at a time: at each Step() of the one
/// that runs, a seed decides who goes on. The same seed gives the same order, whatever the machine
/// does, as long as the functions depend on nothing else. While they run, sleeping takes no time.
class Interleaver {
 public:
  explicit Interleaver(uint64_t seed);

  /// Returns when all have returned.
  void Run(const std::vector<std::function<void()>>& functions);
  /// Called by the running function wherever another may come in between. Elsewhere it does
  /// nothing.
  void Step();

 private:
  struct Runner {
    std::binary_semaphore turn{0};
    bool finished = false;
  };

  /// Gives the turn to some unfinished function; false when there is none.
  bool PassTurn();

  std::mt19937_64 random_;
  /// One in so many steps changes who runs.
  uint64_t steps_per_switch_;
  std::vector<std::unique_ptr<Runner>> runners_;
  std::binary_semaphore all_done_{0};
};

}  // namespace lance::safety
