#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// Reads ahead: tasks run on pool threads in any order, their results come out in the order of the
/// tasks. Who waits for a result that nobody works on yet makes it itself, and while somebody does
/// works on a later one, so that no thread is needed beside the caller's. Used by one thread.
class OrderedWindow {
 public:
  using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;
  using Task = std::function<Result<Batches>()>;

  OrderedWindow();
  /// Drops tasks that were not started and waits for the others.
  ~OrderedWindow();
  OrderedWindow(const OrderedWindow&) = delete;
  OrderedWindow& operator=(const OrderedWindow&) = delete;

  size_t size() const { return slots_.size(); }
  /// `ahead`: hand the task to the pool now; otherwise it waits for PopFront.
  void Push(Task task, bool ahead);
  /// The result of the first task, which there must be.
  Result<Batches> PopFront();

 private:
  struct Slot;
  struct Shared;

  std::shared_ptr<Shared> shared_;
  std::deque<std::shared_ptr<Slot>> slots_;
};

}  // namespace lance
