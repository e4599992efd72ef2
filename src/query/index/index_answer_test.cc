#include "query/index/index_answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace lance::query {
namespace {

// In the order that the bounds are in.
enum Truth : int { kFalse, kNull, kTrue };
constexpr Truth kTruths[] = {kFalse, kNull, kTrue};

Truth Negated(Truth value) { return static_cast<Truth>(kTrue - value); }

Truth ValueOf(const TruthSet& truths, uint32_t row) {
  bool is_true = truths.trues().Contains(0, row);
  bool is_null = truths.nulls().Contains(0, row);
  EXPECT_FALSE(is_true && is_null);
  return is_true ? kTrue : is_null ? kNull : kFalse;
}

/// Row-wise three-valued logic, by its definition.
Truth AndOf(Truth a, Truth b) {
  if (a == kFalse || b == kFalse) return kFalse;
  return a == kTrue && b == kTrue ? kTrue : kNull;
}
Truth OrOf(Truth a, Truth b) {
  if (a == kTrue || b == kTrue) return kTrue;
  return a == kFalse && b == kFalse ? kFalse : kNull;
}

enum class Precision { kExact, kAtMost, kAtLeast };

/// What an index with this precision may say of a row whose value is `truth`: whether it lists it.
struct Statement {
  bool selected;
  bool null;
};
std::vector<Statement> StatementsOn(Truth truth, Precision precision) {
  switch (precision) {
    case Precision::kExact:
      if (truth == kNull) return {{false, true}, {true, true}};
      return {{truth == kTrue, false}};
    case Precision::kAtMost:
      if (truth == kNull) return {{false, true}, {true, true}, {true, false}};
      if (truth == kFalse) return {{false, false}, {true, false}};
      return {{true, false}};
    case Precision::kAtLeast:
      if (truth == kTrue) return {{false, false}, {true, false}};
      return {{false, false}};
  }
  return {};
}

struct Operand {
  Truth truth;
  Statement said;
};
std::vector<Operand> OperandsOf(Precision precision) {
  std::vector<Operand> operands;
  for (Truth truth : kTruths) {
    for (Statement said : StatementsOn(truth, precision)) operands.push_back({truth, said});
  }
  return operands;
}

IndexAnswer AnswerOf(Precision precision, const std::vector<Operand>& rows) {
  RowSet selected = RowSet::None();
  RowSet nulls = RowSet::None();
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (rows[row].said.selected) selected.Add(0, row);
    if (rows[row].said.null) nulls.Add(0, row);
  }
  if (precision == Precision::kExact) return IndexAnswer::Exact(selected, nulls);
  if (precision == Precision::kAtMost) return IndexAnswer::AtMost(selected, nulls);
  return IndexAnswer::AtLeast(selected);
}

void ExpectHolds(const IndexAnswer& answer, const std::vector<Truth>& truths) {
  for (uint32_t row = 0; row < truths.size(); ++row) {
    Truth lower = ValueOf(answer.lower(), row);
    Truth upper = ValueOf(answer.upper(), row);
    EXPECT_LE(lower, truths[row]) << row;
    EXPECT_GE(upper, truths[row]) << row;
    if (answer.is_exact()) {
      EXPECT_EQ(lower, truths[row]) << row;
      EXPECT_EQ(upper, truths[row]) << row;
    }
    // What a filter makes of it.
    EXPECT_TRUE(!answer.surely().Contains(0, row) || truths[row] == kTrue) << row;
    EXPECT_TRUE(answer.possibly().Contains(0, row) || truths[row] != kTrue) << row;
  }
}

TEST(IndexAnswers, CombineLikeRowwiseThreeValuedLogic) {
  constexpr Precision kPrecisions[] = {Precision::kExact, Precision::kAtMost, Precision::kAtLeast};
  for (Precision left : kPrecisions) {
    for (Precision right : kPrecisions) {
      // Every value and statement of the left with every one of the right is a row.
      std::vector<Operand> a;
      std::vector<Operand> b;
      for (const Operand& one : OperandsOf(left)) {
        for (const Operand& other : OperandsOf(right)) {
          a.push_back(one);
          b.push_back(other);
        }
      }
      IndexAnswer answer_a = AnswerOf(left, a);
      IndexAnswer answer_b = AnswerOf(right, b);
      std::vector<Truth> both;
      std::vector<Truth> either;
      std::vector<Truth> neither;
      for (size_t row = 0; row < a.size(); ++row) {
        both.push_back(AndOf(a[row].truth, b[row].truth));
        either.push_back(OrOf(a[row].truth, b[row].truth));
        neither.push_back(Negated(either.back()));
      }
      const bool exact = left == Precision::kExact && right == Precision::kExact;
      EXPECT_EQ(And(answer_a, answer_b).is_exact(), exact);
      ExpectHolds(And(answer_a, answer_b), both);
      ExpectHolds(Or(answer_a, answer_b), either);
      ExpectHolds(Or(answer_a, answer_b).Not(), neither);
      ExpectHolds(And(answer_a.Not(), answer_b.Not()), neither);
    }
  }
}

TEST(IndexAnswers, NegationTurnsBoundsAround) {
  RowSet rows = RowSet::None();
  rows.Add(0, 3);
  IndexAnswer not_at_most = IndexAnswer::AtMost(rows).Not();
  EXPECT_EQ(not_at_most.surely(), rows.Not()) << "what was surely false is now true";
  EXPECT_EQ(not_at_most.possibly(), RowSet::All());
  IndexAnswer not_at_least = IndexAnswer::AtLeast(rows).Not();
  EXPECT_EQ(not_at_least.surely(), RowSet::None());
  EXPECT_EQ(not_at_least.possibly(), rows.Not());
}

TEST(IndexAnswers, HoldThroughWholeExpressions) {
  constexpr uint32_t kRows = 40;
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::pair<IndexAnswer, std::vector<Truth>>> stack;
    auto push_leaf = [&] {
      auto precision = static_cast<Precision>(random() % 3);
      auto operands = OperandsOf(precision);
      std::vector<Operand> rows;
      std::vector<Truth> truths;
      for (uint32_t row = 0; row < kRows; ++row) {
        rows.push_back(operands[random() % operands.size()]);
        truths.push_back(rows.back().truth);
      }
      stack.emplace_back(AnswerOf(precision, rows), truths);
    };
    push_leaf();
    for (int step = 0; step < 6; ++step) {
      auto [answer, truths] = stack.back();
      stack.pop_back();
      if (random() % 3 == 0) {
        for (Truth& truth : truths) truth = Negated(truth);
        stack.emplace_back(answer.Not(), truths);
        continue;
      }
      push_leaf();
      auto [other, more] = stack.back();
      stack.pop_back();
      const bool is_and = random() % 2 == 0;
      for (uint32_t row = 0; row < kRows; ++row) {
        truths[row] = is_and ? AndOf(truths[row], more[row]) : OrOf(truths[row], more[row]);
      }
      stack.emplace_back(is_and ? And(answer, other) : Or(answer, other), truths);
    }
    ExpectHolds(stack.back().first, stack.back().second);
  }
}

}  // namespace
}  // namespace lance::query
