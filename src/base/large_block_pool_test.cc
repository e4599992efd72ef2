#include "base/large_block_pool.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/buffer_builder.h"
#include "base/memory.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

constexpr int64_t kMiB = 1 << 20;

class LargeBlockPoolTest : public testing::Test {
 protected:
  uint8_t* Allocate(int64_t size, int64_t alignment = 64) {
    uint8_t* data = nullptr;
    Status status = pool_.Allocate(size, alignment, &data);
    EXPECT_TRUE(status.ok()) << status;
    return data;
  }

  arrow::MemoryPool* const small_ = arrow::system_memory_pool();
  LargeBlockPool pool_{small_, 16 * kMiB};
};

TEST_F(LargeBlockPoolTest, SmallBlocksPassThrough) {
  int64_t before = small_->bytes_allocated();
  uint8_t* data = Allocate(kLargeBlockBytes - 1);
  EXPECT_EQ(small_->bytes_allocated() - before, kLargeBlockBytes - 1);
  EXPECT_EQ(pool_.bytes_allocated(), kLargeBlockBytes - 1);
  pool_.Free(data, kLargeBlockBytes - 1, 64);
  EXPECT_EQ(small_->bytes_allocated(), before);
  EXPECT_EQ(pool_.bytes_allocated(), 0);
  EXPECT_EQ(pool_.retained_bytes(), 0);
}

TEST_F(LargeBlockPoolTest, LargeBlocksAreAlignedWritableAndReused) {
  int64_t before = small_->bytes_allocated();
  uint8_t* first = Allocate(kLargeBlockBytes);
  EXPECT_EQ(small_->bytes_allocated(), before);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % (2 * kMiB), 0u);
  std::memset(first, 1, kLargeBlockBytes);
  pool_.Free(first, kLargeBlockBytes, 64);
  EXPECT_EQ(pool_.retained_bytes(), kMiB);
  EXPECT_EQ(Allocate(kLargeBlockBytes), first);
  EXPECT_EQ(pool_.retained_bytes(), 0);
  pool_.Free(first, kLargeBlockBytes, 64);
}

TEST_F(LargeBlockPoolTest, ReuseTakesTheBestFitWithinAQuarter) {
  uint8_t* four = Allocate(4 * kMiB);
  uint8_t* six = Allocate(6 * kMiB);
  pool_.Free(four, 4 * kMiB, 64);
  pool_.Free(six, 6 * kMiB, 64);
  // 3 MiB would tie up a third more; 5 MiB fits into 6.
  uint8_t* three = Allocate(3 * kMiB);
  EXPECT_NE(three, four);
  EXPECT_NE(three, six);
  EXPECT_EQ(Allocate(5 * kMiB), six);
  EXPECT_EQ(Allocate(4 * kMiB), four);
  EXPECT_EQ(pool_.retained_bytes(), 0);
  pool_.Free(three, 3 * kMiB, 64);
  pool_.Free(six, 5 * kMiB, 64);
  pool_.Free(four, 4 * kMiB, 64);
}

TEST_F(LargeBlockPoolTest, RetainsUpToItsBoundAndForgetsTheOldest) {
  std::vector<uint8_t*> blocks;
  blocks.reserve(5);
  for (int i = 0; i < 5; ++i) blocks.push_back(Allocate(4 * kMiB));
  for (uint8_t* block : blocks) pool_.Free(block, 4 * kMiB, 64);
  EXPECT_EQ(pool_.retained_bytes(), 16 * kMiB);
  // A block larger than the bound isn't kept, and takes nothing that fits with it.
  uint8_t* huge = Allocate(32 * kMiB);
  pool_.Free(huge, 32 * kMiB, 64);
  EXPECT_LE(pool_.retained_bytes(), 16 * kMiB);
  pool_.ReleaseUnused();
  EXPECT_EQ(pool_.retained_bytes(), 0);
  EXPECT_EQ(pool_.bytes_allocated(), 0);
}

TEST_F(LargeBlockPoolTest, AlignmentsAboveTheHugePageAreHonoured) {
  for (int64_t alignment : {64, 4096, 2 << 20, 8 << 20}) {
    for (int64_t size : {int64_t{1000}, kMiB, 3 * kMiB}) {
      uint8_t* data = Allocate(size, alignment);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(alignment), 0u)
          << "alignment " << alignment << ", size " << size;
      std::memset(data, 7, static_cast<size_t>(size));
      pool_.Free(data, size, alignment);
    }
  }
}

TEST_F(LargeBlockPoolTest, ReallocateKeepsTheContentAcrossTheBoundary) {
  const std::vector<int64_t> sizes = {100,      kMiB - 1,  kMiB,     kMiB + 1, 5 * kMiB,
                                      3 * kMiB, 40 * kMiB, 2 * kMiB, kMiB - 1, 10};
  uint8_t* data = Allocate(sizes[0]);
  std::memset(data, 0, 10);
  for (int64_t i = 0; i < 10; ++i) data[i] = static_cast<uint8_t>(i);
  for (size_t i = 1; i < sizes.size(); ++i) {
    // Marks the last byte that both sizes have.
    int64_t common = std::min(sizes[i - 1], sizes[i]);
    data[common - 1] = 200;
    ASSERT_TRUE(pool_.Reallocate(sizes[i - 1], sizes[i], 64, &data).ok());
    EXPECT_EQ(data[common - 1], 200) << "to " << sizes[i];
    for (int64_t byte = 0; byte < 9; ++byte) EXPECT_EQ(data[byte], byte);
    std::memset(data + 10, 3, static_cast<size_t>(sizes[i] - 10));
    EXPECT_EQ(pool_.bytes_allocated(), sizes[i]);
  }
  pool_.Free(data, 10, 64);
  EXPECT_EQ(pool_.bytes_allocated(), 0);
}

TEST_F(LargeBlockPoolTest, ShrinkingGivesTheTailBack) {
  uint8_t* data = Allocate(12 * kMiB);
  ASSERT_TRUE(pool_.Reallocate(12 * kMiB, 2 * kMiB, 64, &data).ok());
  pool_.Free(data, 2 * kMiB, 64);
  EXPECT_EQ(pool_.retained_bytes(), 2 * kMiB);
}

TEST_F(LargeBlockPoolTest, CountersAreExact) {
  uint8_t* small = Allocate(100);
  uint8_t* large = Allocate(2 * kMiB);
  EXPECT_EQ(pool_.bytes_allocated(), 2 * kMiB + 100);
  EXPECT_EQ(pool_.max_memory(), 2 * kMiB + 100);
  ASSERT_TRUE(pool_.Reallocate(2 * kMiB, 3 * kMiB, 64, &large).ok());
  EXPECT_EQ(pool_.bytes_allocated(), 3 * kMiB + 100);
  EXPECT_EQ(pool_.total_bytes_allocated(), 3 * kMiB + 100);
  EXPECT_EQ(pool_.num_allocations(), 3);
  pool_.Free(large, 3 * kMiB, 64);
  pool_.Free(small, 100, 64);
  EXPECT_EQ(pool_.bytes_allocated(), 0);
  EXPECT_EQ(pool_.max_memory(), 3 * kMiB + 100);
}

TEST_F(LargeBlockPoolTest, ImpossibleSizesAreAnError) {
  uint8_t* data = nullptr;
  EXPECT_TRUE(pool_.Allocate(INT64_MAX, 64, &data).IsOutOfMemory());
  EXPECT_TRUE(pool_.Allocate(int64_t{1} << 50, 64, &data).IsOutOfMemory());
  EXPECT_FALSE(pool_.Allocate(-1, 64, &data).ok());
  EXPECT_EQ(pool_.bytes_allocated(), 0);
  data = Allocate(kMiB);
  uint8_t* same = data;
  EXPECT_TRUE(pool_.Reallocate(kMiB, int64_t{1} << 50, 64, &data).IsOutOfMemory());
  EXPECT_EQ(data, same);
  EXPECT_EQ(pool_.bytes_allocated(), kMiB);
  pool_.Free(data, kMiB, 64);
}

TEST_F(LargeBlockPoolTest, ServesArrowBuilders) {
  arrow::BufferBuilder builder(&pool_);
  std::vector<uint8_t> piece(100'000);
  for (int i = 0; i < 50; ++i) {
    std::fill(piece.begin(), piece.end(), static_cast<uint8_t>(i));
    ASSERT_TRUE(builder.Append(piece.data(), static_cast<int64_t>(piece.size())).ok());
  }
  std::shared_ptr<arrow::Buffer> buffer = builder.Finish().ValueOrDie();
  ASSERT_EQ(buffer->size(), 5'000'000);
  for (int64_t i = 0; i < buffer->size(); ++i) ASSERT_EQ(buffer->data()[i], i / 100'000);
  buffer.reset();
  EXPECT_EQ(pool_.bytes_allocated(), 0);
}

TEST_F(LargeBlockPoolTest, ThreadsMayAllocateAtOnce) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> overlaps{0};
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(static_cast<uint32_t>(thread));
      for (int i = 0; i < 200; ++i) {
        int64_t size = kMiB / 2 + static_cast<int64_t>(random() % (3 * kMiB));
        uint8_t* data = Allocate(size);
        auto mark = static_cast<uint8_t>(thread * 50 + 1);
        data[0] = data[size - 1] = mark;
        std::this_thread::yield();
        if (data[0] != mark || data[size - 1] != mark) ++overlaps;
        pool_.Free(data, size, 64);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(pool_.bytes_allocated(), 0);
  EXPECT_LE(pool_.retained_bytes(), 16 * kMiB);
}

TEST(DefaultMemoryPoolTest, IsTheSystemsWhenArrowIsToldSo) {
  if (arrow::default_memory_pool()->backend_name() != "system") {
    EXPECT_EQ(DefaultMemoryPool()->backend_name(), "lance");
    return;
  }
  EXPECT_EQ(DefaultMemoryPool(), arrow::default_memory_pool());
  ReleaseRetainedLargeBlocks();
  EXPECT_EQ(RetainedLargeBlockBytes(), 0);
}

}  // namespace
}  // namespace lance
