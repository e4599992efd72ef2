#include "base/executor.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "arrow/util/cancel.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

// Every test runs with one, two and many threads.
class ExecutorTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    previous_ = CpuThreads();
    SetCpuThreads(GetParam());
  }
  void TearDown() override { SetCpuThreads(previous_); }

  int previous_ = 1;
  Context context_;
};

TEST_P(ExecutorTest, RunsEachTaskOnce) {
  for (size_t count : {0u, 1u, 2u, 3u, 64u, 1000u}) {
    std::vector<std::atomic<int>> runs(count);
    Status status = ParallelFor(context_, count, [&](size_t i) {
      ++runs[i];
      return Status::OK();
    });
    ASSERT_TRUE(status.ok());
    for (const std::atomic<int>& run : runs) EXPECT_EQ(run, 1);
  }
}

TEST_P(ExecutorTest, ReturnsTheFirstErrorByIndex) {
  for (int round = 0; round < 200; ++round) {
    Status status = ParallelFor(context_, 100, [&](size_t i) {
      if (i == 40) std::this_thread::yield();
      return i >= 40 ? UserError("task ", i) : Status::OK();
    });
    ASSERT_EQ(status.message(), "task 40");
  }
}

TEST_P(ExecutorTest, SkipsTasksAfterAnError) {
  std::atomic<size_t> runs{0};
  Status status = ParallelFor(context_, 1'000'000, [&](size_t i) {
    ++runs;
    return i == 0 ? UserError("stop") : Status::OK();
  });
  EXPECT_FALSE(status.ok());
  EXPECT_LT(runs, 1'000'000u);
}

TEST_P(ExecutorTest, ExceptionsBecomeErrors) {
  auto run = [&](auto thrown) {
    return ParallelFor(context_, 4, [&](size_t i) -> Status {
      if (i == 2) throw thrown;
      return Status::OK();
    });
  };
  EXPECT_NE(run(std::runtime_error("broken")).message().find("broken"), std::string::npos);
  EXPECT_EQ(GetErrorCode(run(std::bad_alloc())), ErrorCode::kOverBudget);
  EXPECT_FALSE(run(42).ok());
}

TEST_P(ExecutorTest, StopsWhenAsked) {
  arrow::StopSource source;
  context_.stop = source.token();
  std::atomic<size_t> runs{0};
  Status status = ParallelFor(context_, 100'000, [&](size_t i) {
    if (++runs == 10) source.RequestStop();
    return Status::OK();
  });
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCancelled);
  EXPECT_LT(runs, 100'000u);
  runs = 0;
  EXPECT_FALSE(ParallelFor(context_, 5, [&](size_t) { return ++runs, Status::OK(); }).ok());
  EXPECT_EQ(runs, 0u);
}

TEST_P(ExecutorTest, NestedLoopsEnd) {
  std::atomic<int> runs{0};
  Status status = ParallelFor(context_, 8, [&](size_t) {
    return ParallelFor(context_, 8, [&](size_t) {
      return ParallelFor(context_, 8, [&](size_t) {
        ++runs;
        return Status::OK();
      });
    });
  });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(runs, 512);
}

TEST_P(ExecutorTest, ManyCallersAtOnce) {
  std::vector<std::thread> callers;
  callers.reserve(6);
  std::atomic<int> runs{0};
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(ParallelFor(context_, 10, [&](size_t) { return ++runs, Status::OK(); }).ok());
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(runs, 6000);
}

TEST_P(ExecutorTest, UsesNoMoreThreadsThanAllowed) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  ASSERT_TRUE(ParallelFor(context_, 200, [&](size_t) {
                std::lock_guard lock(mutex);
                seen.insert(std::this_thread::get_id());
                return Status::OK();
              }).ok());
  EXPECT_LE(seen.size(), static_cast<size_t>(GetParam()));
  EXPECT_TRUE(GetParam() > 1 || seen.contains(std::this_thread::get_id()));
}

TEST_P(ExecutorTest, SubmittedTasksRun) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable done;
    int runs = 0;
  };
  auto shared = std::make_shared<Shared>();
  for (int i = 0; i < 100; ++i) {
    Submit([shared] {
      std::lock_guard lock(shared->mutex);
      ++shared->runs;
      shared->done.notify_all();
    });
  }
  std::unique_lock lock(shared->mutex);
  shared->done.wait(lock, [&] { return shared->runs == 100; });
}

TEST_P(ExecutorTest, WorksInAForkedChild) {
#if defined(__SANITIZE_THREAD__)
  if (GetParam() > 1) GTEST_SKIP() << "the thread sanitizer can't start threads after a fork";
#endif
  std::atomic<int> runs{0};
  auto task = [&](size_t) { return ++runs, Status::OK(); };
  ASSERT_TRUE(ParallelFor(context_, 100, task).ok());
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    runs = 0;
    bool worked = ParallelFor(context_, 100, task).ok() && runs == 100;
    _exit(worked ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  runs = 0;
  ASSERT_TRUE(ParallelFor(context_, 100, task).ok());
  EXPECT_EQ(runs, 100);
}

INSTANTIATE_TEST_SUITE_P(Threads, ExecutorTest, testing::Values(1, 2, 8));

TEST(CpuThreadsTest, StaysInRange) {
  int previous = CpuThreads();
  SetCpuThreads(0);
  EXPECT_EQ(CpuThreads(), 1);
  SetCpuThreads(1'000'000);
  EXPECT_EQ(CpuThreads(), 1024);
  SetCpuThreads(previous);
}

}  // namespace
}  // namespace lance
