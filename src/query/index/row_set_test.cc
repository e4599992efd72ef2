#include "query/index/row_set.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>
#include <vector>

namespace lance::query {
namespace {

constexpr uint32_t kFragments = 4;  // the last one is never listed
constexpr uint32_t kOffsets = 6;

using Members = std::set<std::pair<uint32_t, uint32_t>>;

Members MembersOf(const RowSet& rows) {
  Members members;
  for (uint32_t id = 0; id < kFragments; ++id) {
    for (uint32_t offset = 0; offset < kOffsets; ++offset) {
      if (rows.Contains(id, offset)) members.emplace(id, offset);
    }
  }
  return members;
}

/// Sets of every form: listed rows, whole fragments, complements of these.
RowSet RandomRows(std::mt19937* random) {
  RowSet rows = RowSet::None();
  for (uint32_t id = 0; id + 1 < kFragments; ++id) {
    switch ((*random)() % 4) {
      case 0:
        break;
      case 1:
        rows.Set(id, OffsetSet::All());
        break;
      default:
        for (uint32_t offset = 0; offset < kOffsets; ++offset) {
          if ((*random)() % 2 == 0) rows.Add(id, offset);
        }
    }
  }
  return (*random)() % 2 == 0 ? rows : rows.Not();
}

Members Combined(const Members& a, const Members& b, const std::function<bool(bool, bool)>& keep) {
  Members members;
  for (uint32_t id = 0; id < kFragments; ++id) {
    for (uint32_t offset = 0; offset < kOffsets; ++offset) {
      if (keep(a.contains({id, offset}), b.contains({id, offset}))) members.emplace(id, offset);
    }
  }
  return members;
}

TEST(RowSets, AreClosedUnderAndOrNot) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    RowSet a = RandomRows(&random);
    RowSet b = RandomRows(&random);
    Members in_a = MembersOf(a);
    Members in_b = MembersOf(b);
    EXPECT_EQ(MembersOf(And(a, b)), Combined(in_a, in_b, std::logical_and<bool>()));
    EXPECT_EQ(MembersOf(Or(a, b)), Combined(in_a, in_b, std::logical_or<bool>()));
    EXPECT_EQ(MembersOf(a.Not()), Combined(in_a, in_a, [](bool x, bool) { return !x; }));
    EXPECT_EQ(MembersOf(Without(a, b)),
              Combined(in_a, in_b, [](bool x, bool y) { return x && !y; }));
    EXPECT_EQ(a.Not().Not(), a);
    EXPECT_EQ(Without(a, a), RowSet::None());
    EXPECT_EQ(Or(a, RowSet::All()), RowSet::All());
  }
}

TEST(OffsetSets, GiveTheirRunsAndCounts) {
  std::mt19937 random(6);
  for (int round = 0; round < 2000; ++round) {
    OffsetSet offsets = random() % 2 == 0 ? OffsetSet::None() : OffsetSet::All();
    const bool inverted = offsets.IsAll();
    for (uint32_t offset = 0; offset < kOffsets; ++offset) {
      if (!inverted && random() % 2 == 0) offsets.Add(offset);
    }
    if (!inverted && random() % 2 == 0) offsets = offsets.Not();
    const uint64_t first = random() % kOffsets;
    const uint64_t end = first + random() % (kOffsets - first + 1);
    std::vector<uint64_t> listed;
    uint64_t behind = 0;
    for (const OffsetRun& run : offsets.Runs(first, end)) {
      EXPECT_GT(run.count, 0U);
      EXPECT_TRUE(listed.empty() || run.first > behind) << "runs are as long as can be";
      for (uint64_t i = 0; i < run.count; ++i) listed.push_back(run.first + i);
      behind = run.first + run.count;
    }
    std::vector<uint64_t> expected;
    for (uint64_t offset = first; offset < end; ++offset) {
      if (offsets.Contains(static_cast<uint32_t>(offset))) expected.push_back(offset);
    }
    EXPECT_EQ(listed, expected);
    uint64_t below = 0;
    for (uint64_t offset = 0; offset < end; ++offset) {
      below += offsets.Contains(static_cast<uint32_t>(offset)) ? 1 : 0;
    }
    EXPECT_EQ(offsets.CountBelow(end), below);
  }
}

TEST(OffsetSets, ReachToTheLastOffset) {
  constexpr uint64_t kEnd = 1ULL << 32;
  for (uint64_t first : {uint64_t{0}, uint64_t{5}, kEnd - 2, kEnd}) {
    OffsetSet offsets = OffsetSet::Range(first, kEnd);
    EXPECT_EQ(offsets.CountBelow(kEnd), kEnd - first);
    EXPECT_EQ(offsets.Not(), OffsetSet::Range(0, first));
    EXPECT_EQ(offsets.Not().CountBelow(kEnd), first);
  }
  OffsetSet last_two = OffsetSet::None();
  last_two.Add(UINT32_MAX - 1);
  last_two.Add(UINT32_MAX);
  using Runs = std::vector<OffsetRun>;
  EXPECT_EQ(last_two.Runs(0, kEnd), (Runs{{kEnd - 2, 2}}));
  EXPECT_EQ(last_two.Not().Runs(0, kEnd), (Runs{{0, kEnd - 2}}));
  EXPECT_EQ(last_two.Runs(kEnd, kEnd), Runs());
}

}  // namespace
}  // namespace lance::query
