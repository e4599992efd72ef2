#include "io/read_batch.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "arrow/memory_pool.h"
#include "base/executor.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

constexpr uint64_t kObjectBytes = 64 * 1024 * 1024;

// An object whose bytes follow from their offsets; keeps the requests it got.
class PatternReader final : public RandomReader {
 public:
  explicit PatternReader(uint64_t size) : RandomReader("pattern", size) {}

  static uint8_t At(uint64_t offset) {
    return static_cast<uint8_t>(offset * 31 + (offset >> 8) * 7 + (offset >> 16));
  }

  Status ReadAt(const Context& context, uint64_t offset, uint64_t size, uint8_t* out) override {
    if (offset == failing_offset) return IoError("broken at ", offset);
    {
      std::lock_guard lock(mutex);
      requests.push_back({offset, size});
      destinations.push_back(out);
    }
    for (uint64_t i = 0; i < size; ++i) out[i] = At(offset + i);
    return Status::OK();
  }

  std::mutex mutex;
  std::vector<ByteRange> requests;
  std::vector<uint8_t*> destinations;
  uint64_t failing_offset = UINT64_MAX;
};

void ExpectPattern(Bytes bytes, ByteRange range) {
  ASSERT_EQ(bytes.size(), range.size);
  for (uint64_t i = 0; i < range.size; ++i) {
    ASSERT_EQ(bytes[i], PatternReader::At(range.offset + i)) << "at " << range.offset + i;
  }
}

class ReadBatchTest : public testing::Test {
 protected:
  Context context_;
  PatternReader reader_{kObjectBytes};
  ReadBatch batch_;
};

TEST_F(ReadBatchTest, NothingCostsNothing) {
  ASSERT_TRUE(batch_.Execute(context_, reader_).ok());
  EXPECT_EQ(batch_.num_requests(), 0u);
}

TEST_F(ReadBatchTest, EmptyRangesCostNothing) {
  ReadBatch::Ticket first = batch_.Add({100, 0});
  uint8_t into = 0;
  ReadBatch::Ticket second = batch_.AddInto({UINT64_MAX, 0}, &into);
  ASSERT_TRUE(batch_.Execute(context_, reader_).ok());
  EXPECT_EQ(batch_.num_requests(), 0u);
  EXPECT_TRUE(batch_.bytes(first).empty());
  EXPECT_TRUE(batch_.bytes(second).empty());
}

TEST_F(ReadBatchTest, ALoneRangeIsReadIntoItsPlace) {
  std::vector<uint8_t> into(1000);
  ReadBatch::Ticket ticket = batch_.AddInto({77, 1000}, into.data());
  ASSERT_TRUE(batch_.Execute(context_, reader_).ok());
  ASSERT_EQ(reader_.requests.size(), 1u);
  EXPECT_EQ(reader_.destinations[0], into.data());
  EXPECT_EQ(batch_.bytes(ticket).data(), into.data());
  ExpectPattern(into, {77, 1000});
}

TEST_F(ReadBatchTest, ALoneRangeMayBeTheWholeObject) {
  PatternReader reader(3'000'001);
  ReadBatch::Ticket ticket = batch_.Add({0, 3'000'001});
  ASSERT_TRUE(batch_.Execute(context_, reader).ok());
  EXPECT_EQ(batch_.num_requests(), 1u);
  ExpectPattern(batch_.bytes(ticket), {0, 3'000'001});
}

TEST_F(ReadBatchTest, MergesUpToTheGap) {
  batch_.Add({0, 100});
  batch_.Add({100 + kCoalesceGapBytes, 100});
  ASSERT_TRUE(batch_.Execute(context_, reader_).ok());
  EXPECT_EQ(batch_.num_requests(), 1u);

  ReadBatch apart;
  apart.Add({0, 100});
  apart.Add({101 + kCoalesceGapBytes, 100});
  ASSERT_TRUE(apart.Execute(context_, reader_).ok());
  EXPECT_EQ(apart.num_requests(), 2u);
}

TEST_F(ReadBatchTest, OrderOverlapAndRepetitionDontMatter) {
  std::vector<ByteRange> ranges = {{5000, 100}, {0, 50}, {40, 200}, {5050, 10},
                                   {40, 200},   {0, 1},  {100, 10}};
  std::vector<std::vector<uint8_t>> into;
  for (size_t i = 0; i < ranges.size(); ++i) {
    into.emplace_back(ranges[i].size);
    if (i % 2 == 0) {
      batch_.Add(ranges[i]);
    } else {
      batch_.AddInto(ranges[i], into[i].data());
    }
  }
  ASSERT_TRUE(batch_.Execute(context_, reader_).ok());
  EXPECT_EQ(batch_.num_requests(), 1u);
  EXPECT_EQ(batch_.size(), ranges.size());
  for (uint32_t i = 0; i < ranges.size(); ++i) {
    ExpectPattern(batch_.bytes(i), ranges[i]);
    EXPECT_EQ(batch_.bytes(i).data() == into[i].data(), i % 2 == 1);
  }
}

TEST_F(ReadBatchTest, LargeRangesGoStraightIntoTheirPlaces) {
  std::vector<uint8_t> first(kDirectReadBytes);
  std::vector<uint8_t> second(kDirectReadBytes);
  batch_.Add({0, 64});
  batch_.AddInto({64, kDirectReadBytes}, first.data());
  batch_.AddInto({64 + kDirectReadBytes, kDirectReadBytes}, second.data());
  batch_.Add({64 + 2 * kDirectReadBytes, 64});
  ASSERT_TRUE(batch_.Execute(context_, reader_).ok());
  EXPECT_EQ(batch_.num_requests(), 4u);
  EXPECT_EQ(reader_.destinations[1], first.data());
  EXPECT_EQ(reader_.destinations[2], second.data());
  ExpectPattern(first, {64, kDirectReadBytes});
  ExpectPattern(second, {64 + kDirectReadBytes, kDirectReadBytes});
}

TEST_F(ReadBatchTest, MergingStopsAtABound) {
  for (uint64_t i = 0; i < 40; ++i) batch_.Add({i << 20, 1 << 20});
  ASSERT_TRUE(batch_.Execute(context_, reader_).ok());
  EXPECT_EQ(batch_.num_requests(), 3u);
  for (const ByteRange& request : reader_.requests) EXPECT_LE(request.size, kMaxCoalescedBytes);
}

TEST_F(ReadBatchTest, MemoryIsAsAlignedAsTheObject) {
  std::vector<ByteRange> ranges = {{64, 10}, {100'003, 500}, {200'064, 1}, {4096 * 1000, 4096}};
  for (const ByteRange& range : ranges) batch_.Add(range);
  ASSERT_TRUE(batch_.Execute(context_, reader_).ok());
  EXPECT_EQ(batch_.num_requests(), 4u);
  for (uint32_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(batch_.bytes(i).data()) % 64, ranges[i].offset % 64);
  }
}

TEST_F(ReadBatchTest, RangesOutsideAreRefusedBeforeAnyRequestOrAllocation) {
  for (ByteRange bad : std::vector<ByteRange>{{kObjectBytes, 1},
                                              {kObjectBytes - 10, 11},
                                              {UINT64_MAX, 10},
                                              {10, UINT64_MAX},
                                              {UINT64_MAX, UINT64_MAX}}) {
    ReadBatch batch;
    arrow::ProxyMemoryPool pool(arrow::system_memory_pool());
    context_.memory_pool = &pool;
    batch.Add({0, 10});
    batch.Add(bad);
    Status status = batch.Execute(context_, reader_);
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
    for (uint64_t number : {bad.offset, bad.size, kObjectBytes}) {
      EXPECT_NE(status.message().find(std::to_string(number)), std::string::npos) << status;
    }
    EXPECT_EQ(GetErrorDetail(status)->place.path, "pattern");
    EXPECT_TRUE(reader_.requests.empty());
    EXPECT_EQ(pool.total_bytes_allocated(), 0);
  }
}

TEST_F(ReadBatchTest, ManyWishesForTheSameBytesDontAddUp) {
  arrow::ProxyMemoryPool pool(arrow::system_memory_pool());
  context_.memory_pool = &pool;
  ReadBatch batch;
  // Must not mean 8 GB.
  for (int i = 0; i < 1000; ++i) batch.Add({0, 8 << 20});
  ASSERT_TRUE(batch.Execute(context_, reader_).ok());
  EXPECT_EQ(batch.num_requests(), 1u);
  EXPECT_LE(pool.max_memory(), 9 << 20);
}

TEST_F(ReadBatchTest, ScratchComesFromTheContext) {
  arrow::ProxyMemoryPool pool(arrow::system_memory_pool());
  context_.memory_pool = &pool;
  {
    ReadBatch batch;
    for (uint64_t i = 0; i < 100; ++i) batch.Add({i * 20'000, 100});
    ASSERT_TRUE(batch.Execute(context_, reader_).ok());
    EXPECT_EQ(pool.num_allocations(), 1);
    EXPECT_GE(pool.bytes_allocated(), 10'000);
  }
  EXPECT_EQ(pool.bytes_allocated(), 0);
}

TEST_F(ReadBatchTest, ErrorsAndStopsEndTheBatch) {
  batch_.Add({0, 10});
  batch_.Add({1 << 20, 10});
  reader_.failing_offset = 1 << 20;
  EXPECT_EQ(GetErrorCode(batch_.Execute(context_, reader_)), ErrorCode::kIo);

  arrow::StopSource source;
  context_.stop = source.token();
  source.RequestStop();
  ReadBatch stopped;
  stopped.Add({0, 10});
  EXPECT_EQ(GetErrorCode(stopped.Execute(context_, reader_)), ErrorCode::kCancelled);
}

TEST_F(ReadBatchTest, CountersOfTheStoreAgree) {
  auto store = MakeMemoryStore();
  ASSERT_TRUE(store->Put(context_, "x", AsBytes(std::string(1'000'000, 'x'))).ok());
  IoStats stats;
  context_.io_stats = &stats;
  auto reader = store->OpenReader(context_, "x").ValueOrDie();
  for (uint64_t i = 0; i < 30; ++i) batch_.Add({i * 30'000, 10});
  batch_.Add({20, 5});
  ASSERT_TRUE(batch_.Execute(context_, *reader).ok());
  EXPECT_EQ(stats.reads, 30u);
  EXPECT_EQ(batch_.num_requests(), 30u);
  EXPECT_EQ(stats.read_bytes, 29 * 10u + 25u);
}

// Random ranges, with a plain copy as the oracle, on one thread and on several.
TEST_F(ReadBatchTest, RandomRanges) {
  int previous = CpuThreads();
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SetCpuThreads(seed % 2 == 0 ? 1 : 4);
    std::mt19937_64 random(seed);
    PatternReader reader(1 + random() % 3'000'000);
    size_t count = random() % 300;
    std::vector<ByteRange> ranges;
    std::vector<std::vector<uint8_t>> into(count);
    ReadBatch batch;
    for (size_t i = 0; i < count; ++i) {
      uint64_t offset = random() % reader.size();
      uint64_t most = random() % 4 == 0 ? 200'000 : 300;
      uint64_t size = std::min(random() % most, reader.size() - offset);
      ranges.push_back({offset, size});
      into[i].resize(size + 1, 99);
      if (random() % 2 == 0) {
        batch.AddInto(ranges[i], into[i].data());
      } else {
        batch.Add(ranges[i]);
      }
    }
    ASSERT_TRUE(batch.Execute(context_, reader).ok());
    EXPECT_EQ(batch.num_requests(), reader.requests.size());
    for (uint32_t i = 0; i < count; ++i) {
      ExpectPattern(batch.bytes(i), ranges[i]);
      EXPECT_EQ(into[i].back(), 99);
    }
  }
  SetCpuThreads(previous);
}

}  // namespace
}  // namespace lance
