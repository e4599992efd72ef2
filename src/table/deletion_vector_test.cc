#include "table/deletion_vector.h"

#include <algorithm>
#include <random>

#include "gtest/gtest.h"

namespace lance {
namespace {

std::shared_ptr<const DeletionVector> Make(uint64_t rows, const std::vector<uint64_t>& deleted) {
  DeletionVector::Builder builder(rows);
  for (uint64_t offset : deleted) EXPECT_TRUE(builder.Add(offset).ok());
  return std::move(builder).Finish().ValueOrDie();
}

std::vector<RowRange> RangesOf(const std::vector<uint64_t>& offsets) {
  std::vector<RowRange> ranges;
  for (uint64_t offset : offsets) {
    if (!ranges.empty() && ranges.back().end() == offset) {
      ++ranges.back().count;
    } else {
      ranges.push_back({offset, 1});
    }
  }
  return ranges;
}

/// Compares everything with the list of live offsets.
void ExpectCorrect(uint64_t rows, const std::vector<uint64_t>& deleted, std::mt19937& random) {
  auto vector = Make(rows, deleted);
  std::vector<bool> is_deleted(rows);
  for (uint64_t offset : deleted) is_deleted[offset] = true;
  std::vector<uint64_t> live;
  for (uint64_t offset = 0; offset < rows; ++offset) {
    ASSERT_EQ(vector->IsDeleted(offset), is_deleted[offset]);
    if (!is_deleted[offset]) live.push_back(offset);
  }
  ASSERT_EQ(vector->num_live(), live.size());
  ASSERT_EQ(vector->num_deleted(), deleted.size());
  for (size_t i = 0; i < live.size(); ++i) ASSERT_EQ(vector->PhysicalOffset(i), live[i]) << i;
  std::vector<RowRange> all;
  vector->AppendPhysicalRanges({0, live.size()}, &all);
  ASSERT_EQ(all, RangesOf(live));
  for (int i = 0; i < 50 && !live.empty(); ++i) {
    uint64_t start = random() % live.size();
    uint64_t count = random() % (live.size() - start + 1);
    std::vector<RowRange> ranges;
    vector->AppendPhysicalRanges({start, count}, &ranges);
    ASSERT_EQ(ranges, RangesOf({live.begin() + static_cast<ptrdiff_t>(start),
                                live.begin() + static_cast<ptrdiff_t>(start + count)}));
  }
}

TEST(DeletionVector, AllDensitiesAndSizes) {
  for (uint32_t seed : {1u, 2u}) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (uint64_t rows : {1u, 2u, 63u, 64u, 65u, 511u, 512u, 513u, 1024u, 4096u, 5000u}) {
      for (double density : {0.0, 0.001, 0.02, 0.04, 0.3, 0.9, 0.999, 1.0}) {
        SCOPED_TRACE(rows);
        SCOPED_TRACE(density);
        std::vector<uint64_t> deleted;
        for (uint64_t offset = 0; offset < rows; ++offset) {
          if (static_cast<double>(random() % 1000) < density * 1000) deleted.push_back(offset);
        }
        std::shuffle(deleted.begin(), deleted.end(), random);
        ExpectCorrect(rows, deleted, random);
      }
    }
  }
}

TEST(DeletionVector, LongRuns) {
  std::mt19937 random(7);
  for (auto [first, count] : std::vector<std::pair<uint64_t, uint64_t>>{
           {0, 1000}, {2000, 1}, {1999, 130}, {64, 64}, {0, 2500}, {2436, 64}}) {
    std::vector<uint64_t> deleted;
    for (uint64_t i = 0; i < count; ++i) deleted.push_back(first + i);
    ExpectCorrect(2500, deleted, random);
    DeletionVector::Builder builder(2500);
    ASSERT_TRUE(builder.Add(first, count).ok());
    EXPECT_EQ((*std::move(builder).Finish())->num_deleted(), count);
  }
}

TEST(DeletionVector, RangesContinueThoseBefore) {
  auto vector = Make(100, {50});
  std::vector<RowRange> ranges = {{0, 10}};
  vector->AppendPhysicalRanges({10, 45}, &ranges);
  EXPECT_EQ(ranges, (std::vector<RowRange>{{0, 50}, {51, 5}}));
}

TEST(DeletionVector, RefusesRowsOutsideAndRepeats) {
  for (uint64_t rows : {100u, 10000u}) {
    DeletionVector::Builder outside(rows);
    EXPECT_FALSE(outside.Add(rows).ok());
    EXPECT_FALSE(outside.Add(rows - 1, 2).ok());
    EXPECT_FALSE(outside.Add(0, rows + 1).ok());
    DeletionVector::Builder repeats(rows);
    ASSERT_TRUE(repeats.Add(7).ok());
    ASSERT_TRUE(repeats.Add(9).ok());
    ASSERT_TRUE(repeats.Add(7).ok());
    EXPECT_FALSE(std::move(repeats).Finish().ok());
  }
}

}  // namespace
}  // namespace lance
