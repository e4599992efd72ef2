#include "dataset/ordered_window.h"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "arrow/api.h"
#include "base/executor.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

OrderedWindow::Batches MakeResult(int64_t number) {
  return {arrow::RecordBatch::Make(arrow::schema({}), number, arrow::ArrayVector())};
}

class Windows : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { SetCpuThreads(GetParam()); }
  void TearDown() override { SetCpuThreads(before_); }

 private:
  const int before_ = CpuThreads();
};
INSTANTIATE_TEST_SUITE_P(Threads, Windows, ::testing::Values(1, 2, 8));

TEST_P(Windows, ResultsComeInOrder) {
  std::mt19937 random(5);
  OrderedWindow window;
  int64_t pushed = 0;
  for (int64_t popped = 0; popped < 300; ++popped) {
    while (window.size() < 10) {
      auto pause = std::chrono::microseconds(random() % 300);
      window.Push(
          [number = pushed++, pause]() -> Result<OrderedWindow::Batches> {
            std::this_thread::sleep_for(pause);
            return MakeResult(number);
          },
          /*ahead=*/window.size() > 0);
    }
    ASSERT_EQ(window.PopFront().ValueOrDie()[0]->num_rows(), popped);
  }
}

TEST_P(Windows, DestructionWaitsForRunningTasksOnly) {
  std::atomic<int> running{0};
  std::atomic<int> ran{0};
  {
    OrderedWindow window;
    for (int i = 0; i < 200; ++i) {
      window.Push(
          [&]() -> Result<OrderedWindow::Batches> {
            ++running;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            --running;
            ++ran;
            return MakeResult(0);
          },
          /*ahead=*/i > 0 && GetParam() > 1);
    }
    ASSERT_TRUE(window.PopFront().ok());
  }
  EXPECT_EQ(running, 0);
  EXPECT_LT(ran, 200) << "those that had not begun are dropped";
}

TEST_P(Windows, ErrorsAndExceptionsBelongToTheirTask) {
  OrderedWindow window;
  window.Push([]() -> Result<OrderedWindow::Batches> { return MakeResult(1); }, false);
  window.Push([]() -> Result<OrderedWindow::Batches> { return IoError("broken"); }, true);
  window.Push([]() -> Result<OrderedWindow::Batches> { throw std::bad_alloc(); }, true);
  window.Push([]() -> Result<OrderedWindow::Batches> { throw std::runtime_error("odd"); }, true);
  window.Push([]() -> Result<OrderedWindow::Batches> { return MakeResult(2); }, true);
  EXPECT_TRUE(window.PopFront().ok());
  EXPECT_EQ(GetErrorCode(window.PopFront().status()), ErrorCode::kIo);
  EXPECT_EQ(GetErrorCode(window.PopFront().status()), ErrorCode::kOverBudget);
  EXPECT_NE(window.PopFront().status().message().find("odd"), std::string::npos);
  EXPECT_EQ(window.PopFront().ValueOrDie()[0]->num_rows(), 2);
}

}  // namespace
}  // namespace lance
