#include "query/index/ranked_source.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lance::query {
namespace {

/// Rows of one fragment ranked by a number, weighed by how many rows there are in all sources.
class FakeSource final : public RankedSource {
 public:
  FakeSource(uint32_t fragment_id, std::vector<float> numbers)
      : fragment_id_(fragment_id), numbers_(std::move(numbers)) {}

  Status AddStatistics(const Context& context, RankingStatistics* statistics) const override {
    statistics->rows += numbers_.size();
    return Status::OK();
  }

  Result<std::unique_ptr<RankedSearch>> Start(const RankingStatistics& statistics,
                                              RankedBounds bounds) const override {
    auto search = std::make_unique<Search>();
    for (uint32_t offset = 0; offset < numbers_.size(); ++offset) {
      float distance = numbers_[offset] / static_cast<float>(statistics.rows);
      bool is_within = distance >= bounds.least && distance < bounds.most;
      if (is_within && bounds.allowed.Contains(fragment_id_, offset)) {
        search->left.push_back({fragment_id_, offset, distance});
      }
    }
    std::sort(search->left.begin(), search->left.end(),
              [](const RankedRow& a, const RankedRow& b) { return a.distance > b.distance; });
    return search;
  }

 private:
  struct Search final : RankedSearch {
    std::vector<RankedRow> left;  // the best one comes last

    Result<std::vector<RankedRow>> Next(const Context& context, uint64_t count) override {
      std::vector<RankedRow> rows;
      for (; !left.empty() && rows.size() < count; left.pop_back()) rows.push_back(left.back());
      return rows;
    }
  };

  uint32_t fragment_id_;
  std::vector<float> numbers_;
};

TEST(RankedSources, ShareStatisticsAndGoOnWhereTheyStopped) {
  FakeSource indexed(0, {8, 2, 4});
  FakeSource uncovered(1, {6});
  Context context;
  RankingStatistics statistics;
  ASSERT_TRUE(indexed.AddStatistics(context, &statistics).ok());
  ASSERT_TRUE(uncovered.AddStatistics(context, &statistics).ok());
  EXPECT_EQ(statistics.rows, 4U);
  auto search = indexed.Start(statistics, {}).ValueOrDie();
  auto first = search->Next(context, 2).ValueOrDie();
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].offset, 1U);
  EXPECT_EQ(first[0].distance, 0.5F);
  EXPECT_EQ(first[1].offset, 2U);
  auto rest = search->Next(context, 2).ValueOrDie();
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].offset, 0U);
  EXPECT_TRUE(search->Next(context, 2).ValueOrDie().empty());
}

TEST(RankedSources, ReturnOnlyAllowedRowsWithinBounds) {
  FakeSource source(2, {8, 2, 4, 6});
  Context context;
  RowSet forbidden = RowSet::None();
  forbidden.Add(2, 2);
  RankedBounds bounds{.allowed = forbidden.Not(), .least = 1, .most = 2};
  auto search = source.Start({.rows = 4}, bounds).ValueOrDie();
  auto rows = search->Next(context, 10).ValueOrDie();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].offset, 3U);
}

}  // namespace
}  // namespace lance::query
