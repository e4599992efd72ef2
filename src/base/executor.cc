#include "base/executor.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace lance {
namespace {

constexpr int kMostThreads = 1024;

int InitialThreads() {
  if (const char* text = std::getenv("LANCE_CPU_THREADS")) {
    char* end = nullptr;
    int64_t value = std::strtoll(text, &end, 10);
    if (end != text && *end == '\0' && value >= 1) {
      return static_cast<int>(std::min<int64_t>(value, kMostThreads));
    }
  }
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads);
}

std::atomic<int>& ThreadsSetting() {
  static std::atomic<int> threads{InitialThreads()};
  return threads;
}

// Threads are started when tasks wait and none is idle, and stay.
class ThreadPool {
 public:
  void Submit(std::function<void()> task, int max_threads) {
    std::unique_lock lock(mutex_);
    queue_.push_back(std::move(task));
    if (queue_.size() > static_cast<size_t>(idle_) && threads_ < max_threads) {
      ++threads_;
      lock.unlock();
      StartThread();
      return;
    }
    lock.unlock();
    wake_.notify_one();
  }

 private:
  void StartThread() {
    try {
      std::thread([this] { Work(); }).detach();
    } catch (const std::exception&) {
      // The system is out of threads.
      std::unique_lock lock(mutex_);
      if (--threads_ > 0 || queue_.empty()) return;
      std::function<void()> task = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      task();
    }
  }

  [[noreturn]] void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      wake_.wait(lock, [this] { return !queue_.empty(); });
      --idle_;
      std::function<void()> task = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      task();
      // What the task holds goes before the next wait.
      task = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  int threads_ = 0;
  int idle_ = 0;
};

// Never destroyed: its threads run until the process ends.
std::atomic<ThreadPool*> shared_pool{nullptr};

ThreadPool& SharedPool() {
  static const int registered =
      // The threads of the parent don't exist in the child.
      pthread_atfork(nullptr, nullptr, [] { shared_pool.store(nullptr); });
  static_cast<void>(registered);
  ThreadPool* pool = shared_pool.load(std::memory_order_acquire);
  if (pool != nullptr) return *pool;
  auto made = std::make_unique<ThreadPool>();
  if (shared_pool.compare_exchange_strong(pool, made.get())) return *made.release();
  return *pool;
}

Status RunGuarded(const std::function<Status(size_t)>& task, size_t index) {
  try {
    return task(index);
  } catch (const std::bad_alloc&) {
    return MakeError(ErrorCode::kOverBudget, "out of memory");
  } catch (const std::exception& error) {
    return Status::UnknownError("a task threw an exception: ", error.what());
  } catch (...) {
    return Status::UnknownError("a task threw an object that is no std::exception");
  }
}

// One ParallelFor. Helpers that start late find nothing left to claim and only drop their
// reference; `task` and `context` are touched only between claiming an index and finishing it,
// for which the caller waits.
class Loop {
 public:
  Loop(const Context& context, size_t count, const std::function<Status(size_t)>& task)
      : context_(context), task_(task), count_(count), first_error_(count) {}

  // Runs tasks until none is left.
  void Work() {
    size_t finished = 0;
    for (size_t index = next_++; index < count_; index = next_++, ++finished) {
      // Tasks before the failed one still run, so that the error is the same in every run.
      if (index > first_error_.load(std::memory_order_relaxed)) continue;
      Status status = context_.CheckStop();
      if (status.ok()) status = RunGuarded(task_, index);
      if (!status.ok()) Fail(index, std::move(status));
    }
    if (finished == 0) return;
    std::lock_guard lock(mutex_);
    finished_ += finished;
    if (finished_ == count_) done_.notify_all();
  }

  Status Wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return finished_ == count_; });
    return error_;
  }

 private:
  void Fail(size_t index, Status status) {
    std::lock_guard lock(mutex_);
    if (index >= first_error_.load(std::memory_order_relaxed)) return;
    first_error_.store(index, std::memory_order_relaxed);
    error_ = std::move(status);
  }

  const Context& context_;
  const std::function<Status(size_t)>& task_;
  const size_t count_;
  std::atomic<size_t> next_{0};
  std::atomic<size_t> first_error_;

  std::mutex mutex_;
  std::condition_variable done_;
  size_t finished_ = 0;
  Status error_;
};

Status RunInline(const Context& context, size_t count, const std::function<Status(size_t)>& task) {
  for (size_t index = 0; index < count; ++index) {
    ARROW_RETURN_NOT_OK(context.CheckStop());
    ARROW_RETURN_NOT_OK(RunGuarded(task, index));
  }
  return Status::OK();
}

}  // namespace

int CpuThreads() { return ThreadsSetting().load(std::memory_order_relaxed); }

void SetCpuThreads(int threads) {
  ThreadsSetting().store(std::clamp(threads, 1, kMostThreads), std::memory_order_relaxed);
}

Status ParallelFor(const Context& context, size_t count,
                   const std::function<Status(size_t)>& task) {
  size_t threads = std::min(static_cast<size_t>(CpuThreads()), count);
  if (threads <= 1) return RunInline(context, count, task);
  auto loop = std::make_shared<Loop>(context, count, task);
  for (size_t i = 1; i < threads; ++i) {
    SharedPool().Submit([loop] { loop->Work(); }, CpuThreads() - 1);
  }
  loop->Work();
  return loop->Wait();
}

void Submit(std::function<void()> task) {
  int threads = CpuThreads();
  if (threads <= 1) return task();
  SharedPool().Submit(std::move(task), threads - 1);
}

}  // namespace lance
