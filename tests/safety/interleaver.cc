#include "safety/interleaver.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <thread>

namespace {

/// Which function of the Interleaver this thread runs, or none.
constexpr size_t kNone = SIZE_MAX;
thread_local size_t running = kNone;

}  // namespace

/// In the place of the C library's: pauses between attempts of a commit would depend on the clock,
/// and cost most of the time of a run.
extern "C" int nanosleep(const struct timespec* time, struct timespec* left) {
  if (running != kNone) return 0;
  return static_cast<int>(syscall(SYS_nanosleep, time, left));
}

namespace lance::safety {

Interleaver::Interleaver(uint64_t seed) : random_(seed), steps_per_switch_(1 + random_() % 6) {}

void Interleaver::Run(const std::vector<std::function<void()>>& functions) {
  runners_.clear();
  for (size_t i = 0; i < functions.size(); ++i) runners_.push_back(std::make_unique<Runner>());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < functions.size(); ++i) {
    threads.emplace_back([this, i, &functions] {
      runners_[i]->turn.acquire();
      running = i;
      functions[i]();
      runners_[i]->finished = true;
      if (!PassTurn()) all_done_.release();
    });
  }
  runners_[random_() % functions.size()]->turn.release();
  all_done_.acquire();
  for (auto& thread : threads) thread.join();
}

void Interleaver::Step() {
  if (running == kNone || random_() % steps_per_switch_ != 0) return;
  size_t self = running;
  // With nobody else left, the turn comes back at once.
  PassTurn();
  runners_[self]->turn.acquire();
}

bool Interleaver::PassTurn() {
  std::vector<size_t> able;
  for (size_t i = 0; i < runners_.size(); ++i) {
    if (!runners_[i]->finished) able.push_back(i);
  }
  if (able.empty()) return false;
  runners_[able[random_() % able.size()]]->turn.release();
  return true;
}

}  // namespace lance::safety
