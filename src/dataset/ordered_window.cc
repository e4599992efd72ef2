#include "dataset/ordered_window.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>

#include "arrow/record_batch.h"
#include "base/executor.h"

namespace lance {
namespace {

Result<OrderedWindow::Batches> RunGuarded(const OrderedWindow::Task& task) {
  try {
    return task();
  } catch (const std::bad_alloc&) {
    return MakeError(ErrorCode::kOverBudget, "out of memory while reading ahead");
  } catch (const std::exception& error) {
    return IoError("exception while reading ahead: ", error.what());
  }
}

}  // namespace

struct OrderedWindow::Shared {
  std::mutex mutex;
  std::condition_variable done;
};

struct OrderedWindow::Slot {
  enum class State : uint8_t { kWaiting, kRunning, kDone };

  explicit Slot(Task task) : task(std::move(task)) {}

  Task task;
  State state = State::kWaiting;  // guarded by Shared::mutex
  Result<Batches> result = Batches();

  /// Runs the task unless somebody else has begun to.
  static bool TryRun(const std::shared_ptr<Slot>& slot, Shared& shared) {
    {
      std::lock_guard lock(shared.mutex);
      if (slot->state != State::kWaiting) return false;
      slot->state = State::kRunning;
    }
    Result<Batches> result = RunGuarded(slot->task);
    slot->task = nullptr;
    std::lock_guard lock(shared.mutex);
    slot->result = std::move(result);
    slot->state = State::kDone;
    shared.done.notify_all();
    return true;
  }
};

OrderedWindow::OrderedWindow() : shared_(std::make_shared<Shared>()) {}

OrderedWindow::~OrderedWindow() {
  std::unique_lock lock(shared_->mutex);
  for (auto& slot : slots_) {
    if (slot->state != Slot::State::kWaiting) continue;
    slot->state = Slot::State::kDone;
    slot->task = nullptr;
  }
  for (auto& slot : slots_) {
    shared_->done.wait(lock, [&] { return slot->state == Slot::State::kDone; });
  }
}

void OrderedWindow::Push(Task task, bool ahead) {
  auto slot = std::make_shared<Slot>(std::move(task));
  slots_.push_back(slot);
  if (!ahead) return;
  Submit([slot = std::move(slot), shared = shared_] { Slot::TryRun(slot, *shared); });
}

Result<OrderedWindow::Batches> OrderedWindow::PopFront() {
  std::shared_ptr<Slot> front = std::move(slots_.front());
  slots_.pop_front();
  if (!Slot::TryRun(front, *shared_)) {
    for (auto& slot : slots_) {
      {
        std::lock_guard lock(shared_->mutex);
        if (front->state == Slot::State::kDone) break;
      }
      Slot::TryRun(slot, *shared_);
    }
    std::unique_lock lock(shared_->mutex);
    shared_->done.wait(lock, [&] { return front->state == Slot::State::kDone; });
  }
  return std::move(front->result);
}

}  // namespace lance
