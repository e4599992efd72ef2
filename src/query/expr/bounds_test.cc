#include "query/expr/bounds.h"

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "query/expr/binder.h"

namespace lance::query {
namespace {

std::shared_ptr<arrow::Schema> TestSchema() {
  return arrow::schema({arrow::field("i", arrow::int32()), arrow::field("s", arrow::utf8()),
                        arrow::field("f", arrow::float64()), arrow::field("b", arrow::boolean())});
}

std::string Show(const Bound& bound) {
  if (bound.value == nullptr) return "-";
  return (bound.is_inclusive ? "[" : "(") + (*bound.value->GetScalar(0))->ToString();
}

/// `0: [1 (5, not null`
std::string BoundsText(std::string_view sql) {
  auto filter = BindSqlFilter(sql, *TestSchema());
  if (!filter.ok()) return filter.status().message();
  std::string text;
  for (const auto& [column, bounds] : BoundsOf(*filter)) {
    if (!text.empty()) text += "; ";
    text +=
        std::to_string(column.indexes[0]) + ": " + Show(bounds.lower) + " " + Show(bounds.upper);
    if (bounds.must_be_null) text += ", null";
    if (bounds.rejects_null) text += ", not null";
  }
  return text;
}

std::string Printed(std::string_view sql) {
  auto filter = BindSqlFilter(sql, *TestSchema());
  return filter.ok() ? ToSql(**filter) : filter.status().message();
}

TEST(BoundsTest, ConjunctsAreIntersected) {
  EXPECT_EQ(BoundsText("i > 1 and i <= 5"), "0: (1 [5, not null");
  EXPECT_EQ(BoundsText("i >= 1 and i > 1 and i >= 0"), "0: (1 -, not null");
  EXPECT_EQ(BoundsText("5 > i and s = 'x'"), "0: - (5, not null; 1: [x [x, not null");
  EXPECT_EQ(BoundsText("i between 1 and 9 and i in (7, 3, 12, null)"), "0: [3 [9, not null");
  EXPECT_EQ(BoundsText("not (i < 3 or s >= 'b')"), "0: [3 -, not null; 1: - (b, not null");
  EXPECT_EQ(BoundsText("i is null and s is not null"), "0: - -, null; 1: - -, not null");
  EXPECT_EQ(BoundsText("i <> 3 and b"), "0: - -, not null; 3: - -, not null");
}

TEST(BoundsTest, ContradictionsAreFalse) {
  for (const char* sql :
       {"i > 5 and i < 3", "i between 5 and 1", "i = 1 and i = 2", "i > 1 and i <= 1",
        "i is null and i > 0", "i in (1, 2) and i in (3, 4) and b", "s > 'b' and s < 'a'"}) {
    EXPECT_EQ(Printed(sql), "false") << sql;
  }
  EXPECT_EQ(Printed("i >= 1 and i <= 1"), "(i >= 1) AND (i <= 1)");
  EXPECT_EQ(Printed("i > 5 or i < 3"), "(i > 5) OR (i < 3)");
}

TEST(BoundsTest, OtherConditionsBoundNothing) {
  EXPECT_EQ(BoundsText("i > 1 or i < 0"), "");
  EXPECT_EQ(BoundsText("i + 1 > 2"), "");
  EXPECT_EQ(BoundsText("i > i"), "");
  EXPECT_EQ(BoundsText("i is distinct from 1"), "");
  EXPECT_EQ(BoundsText("f > 1.5 and f < cast('nan' as double)"), "2: (1.5 (nan, not null");
}

}  // namespace
}  // namespace lance::query
