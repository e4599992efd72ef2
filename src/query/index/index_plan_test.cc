#include "query/index/index_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "query/expr/binder.h"
#include "query/expr/evaluate.h"

namespace lance::query {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kRows = 200;

enum class Precision { kExact, kAtMost, kAtLeast };

/// Three columns of small numbers with nulls; row r is offset r of fragment 0.
std::shared_ptr<arrow::RecordBatch> MakeBatch() {
  std::mt19937 random(3);
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (const char* name : {"a", "b", "c"}) {
    arrow::Int64Builder builder;
    for (int64_t row = 0; row < kRows; ++row) {
      EXPECT_TRUE((random() % 5 == 0 ? builder.AppendNull()
                                     : builder.Append(static_cast<int64_t>(random() % 6)))
                      .ok());
    }
    fields.push_back(arrow::field(name, arrow::int64()));
    columns.push_back(builder.Finish().ValueOrDie());
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), kRows, columns);
}

/// Answers conditions on one column from the values themselves, made less precise on purpose.
class FakeIndex final : public PredicateIndex {
 public:
  FakeIndex(std::shared_ptr<arrow::RecordBatch> batch, int column, Precision precision,
            double cost = 1)
      : batch_(std::move(batch)), column_(column), precision_(precision), cost_(cost) {
    coverage_.add(0U);
  }

  std::optional<IndexOffer> Accepts(const Expr& condition) const override {
    auto columns = ReferencedColumns(condition);
    if (columns.size() != 1 || columns[0].indexes[0] != column_) return std::nullopt;
    bool is_leaf = condition.kind == ExprKind::kCall || condition.kind == ExprKind::kIn;
    bool is_range = condition.kind == ExprKind::kAnd;
    if ((!is_leaf && !is_range) || condition.IsCallOf("not")) return std::nullopt;
    return IndexOffer{cost_, precision_ == Precision::kExact};
  }

  Result<IndexAnswer> Search(const Context& context, const Expr& condition) const override {
    ARROW_ASSIGN_OR_RAISE(auto values, Evaluate(condition, *batch_, context.pool()));
    const auto& truths = static_cast<const arrow::BooleanArray&>(*values);
    RowSet trues = RowSet::None();
    RowSet nulls = RowSet::None();
    std::mt19937 random(static_cast<unsigned>(column_));
    for (int64_t row = 0; row < kRows; ++row) {
      auto offset = static_cast<uint32_t>(row);
      const bool blurred = random() % 4 == 0;
      if (truths.IsNull(row)) {
        nulls.Add(0, offset);
      } else if (truths.Value(row) ? precision_ != Precision::kAtLeast || !blurred
                                   : precision_ == Precision::kAtMost && blurred) {
        trues.Add(0, offset);
      }
    }
    if (precision_ == Precision::kExact) return IndexAnswer::Exact(trues, nulls);
    if (precision_ == Precision::kAtMost) return IndexAnswer::AtMost(trues, nulls);
    return IndexAnswer::AtLeast(trues);
  }

  const RoaringBitmap& coverage() const override { return coverage_; }
  std::string_view name() const override { return column_ == 0 ? "first" : "other"; }

 private:
  std::shared_ptr<arrow::RecordBatch> batch_;
  int column_;
  Precision precision_;
  double cost_;
  RoaringBitmap coverage_;
};

class IndexPlanTest : public ::testing::Test {
 protected:
  ExprPtr Bound(const std::string& sql) const {
    return BindSqlFilter(sql, *batch_->schema()).ValueOrDie();
  }
  IndexPlan Plan(const std::string& sql, const std::vector<IndexPtr>& indexes) const {
    return PlanIndexes(Bound(sql), indexes);
  }
  IndexPtr Index(int column, Precision precision = Precision::kExact, double cost = 1) const {
    return std::make_shared<FakeIndex>(batch_, column, precision, cost);
  }
  static std::string SearchText(const IndexPlan& plan) {
    return plan.search == nullptr ? "" : plan.search->ToText();
  }
  static std::string RestText(const IndexPlan& plan) {
    return plan.rest == nullptr ? "" : ToSql(*plan.rest);
  }

  std::shared_ptr<arrow::RecordBatch> batch_ = MakeBatch();
};

TEST_F(IndexPlanTest, DividesAnAnd) {
  IndexPlan plan = Plan("a = 1 AND b = 2 AND c = 3", {Index(0)});
  EXPECT_EQ(SearchText(plan), "first(a = 1)");
  EXPECT_EQ(RestText(plan), "(b = 2) AND (c = 3)");
  EXPECT_EQ(RestText(Plan("a = 1", {Index(0)})), "");
  EXPECT_EQ(SearchText(Plan("b = 1 AND c > 2", {Index(0)})), "");
}

TEST_F(IndexPlanTest, ARangeIsOneSearchAndWhatIsLeftKeepsItsOrder) {
  IndexPlan plan = Plan("b <> 0 AND a > 1 AND 10 / b > c AND a < 5", {Index(0)});
  EXPECT_EQ(SearchText(plan), "first((a > 1) AND (a < 5))");
  EXPECT_EQ(RestText(plan), "(b <> 0) AND ((10 / b) > c)");
}

TEST_F(IndexPlanTest, AnOrIsAnsweredWholeOrNotAtAll) {
  EXPECT_EQ(SearchText(Plan("a = 1 OR b = 2", {Index(0)})), "");
  EXPECT_EQ(SearchText(Plan("a = 1 OR (b = 2 AND c = 1)", {Index(0), Index(1)})), "");
  IndexPlan plan = Plan("(a = 1 OR b = 2) AND c = 1", {Index(0), Index(1)});
  EXPECT_EQ(SearchText(plan), "(first(a = 1) OR other(b = 2))");
  EXPECT_EQ(RestText(plan), "c = 1");
}

TEST_F(IndexPlanTest, OnlyExactAnswersAreNegated) {
  EXPECT_THAT(SearchText(Plan("NOT a IN (1, 2, 3)", {Index(0)})), HasSubstr("NOT first("));
  EXPECT_EQ(SearchText(Plan("NOT a IN (1, 2, 3)", {Index(0, Precision::kAtMost)})), "");
}

TEST_F(IndexPlanTest, TheCheapestIndexIsAsked) {
  auto cheap = std::make_shared<FakeIndex>(batch_, 0, Precision::kAtMost, 1);
  auto dear = std::make_shared<FakeIndex>(batch_, 0, Precision::kExact, 10);
  EXPECT_EQ(Plan("a = 1", {dear, cheap}).search->index, cheap);
  EXPECT_EQ(Plan("a = 1", {cheap, dear}).search->index, cheap);
}

/// Conditions of AND, OR and NOT over comparisons, IN lists and tests for null.
std::string RandomCondition(std::mt19937* random, int depth) {
  if (depth > 0 && (*random)() % 3 != 0) {
    std::string left = RandomCondition(random, depth - 1);
    if ((*random)() % 4 == 0) return "NOT (" + left + ")";
    return "(" + left + ((*random)() % 2 == 0 ? " AND " : " OR ") +
           RandomCondition(random, depth - 1) + ")";
  }
  std::string column(1, static_cast<char>('a' + (*random)() % 3));
  std::string value = std::to_string((*random)() % 6);
  switch ((*random)() % 5) {
    case 0:
      return column + " IN (" + value + ", 2, 3)";
    case 1:
      return column + " IS NULL";
    case 2:
      return column + " < " + value;
    case 3:
      return column + " <> " + value;
    default:
      return column + " = " + value;
  }
}

TEST_F(IndexPlanTest, ASearchFindsWhatAScanFinds) {
  std::mt19937 random(17);
  Context context;
  int searched = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<IndexPtr> indexes;
    for (int column = 0; column < 3; ++column) {
      if (random() % 4 == 0) continue;
      indexes.push_back(Index(column, static_cast<Precision>(random() % 3)));
    }
    std::string sql = RandomCondition(&random, 4);
    ExprPtr filter = Bound(sql);
    auto expected = MatchingRows(*filter, *batch_, context.pool()).ValueOrDie();
    IndexPlan plan = PlanIndexes(filter, indexes);
    if (plan.search == nullptr) continue;
    ++searched;
    ASSERT_TRUE(plan.search->Coverage().contains(0));
    IndexAnswer answer = plan.search->Run(context).ValueOrDie();
    // On the rows that may pass, what is left is tested; all of it if the answer is not exact.
    ExprPtr test = answer.is_exact() ? plan.rest : filter;
    std::vector<int64_t> tested;
    if (test != nullptr) tested = MatchingRows(*test, *batch_, context.pool()).ValueOrDie();
    std::vector<int64_t> found;
    for (int64_t row = 0; row < kRows; ++row) {
      if (!answer.possibly().Contains(0, static_cast<uint32_t>(row))) continue;
      if (test == nullptr || std::binary_search(tested.begin(), tested.end(), row)) {
        found.push_back(row);
      }
    }
    EXPECT_EQ(found, expected) << sql << "\n" << plan.search->ToText();
  }
  EXPECT_GT(searched, 300);
}

}  // namespace
}  // namespace lance::query
