#include "query/expr/kernel/list_rows.h"

#include <algorithm>
#include <array>
#include <limits>

#include "arrow/scalar.h"
#include "query/expr/kernel/gather.h"

namespace lance::query {
namespace {

using arrow::Array;

bool IsTrue(const Array& booleans, int64_t at) {
  return booleans.IsValid(at) && static_cast<const arrow::BooleanArray&>(booleans).Value(at);
}

/// Compares all values with one item at a time.
Result<std::vector<int64_t>> InOneList(const CallContext& context, const ListRows& list,
                                       const Operand& value, Kernel compare, int64_t rows) {
  std::vector<int64_t> positions(static_cast<size_t>(rows));
  const std::shared_ptr<Array> items = list.items();
  for (int64_t i = 0; i < list.Size(0); ++i) {
    const std::array<Operand, 2> args = {value, Operand{items->Slice(list.Begin(0) + i, 1), true}};
    ARROW_ASSIGN_OR_RAISE(auto same, compare(context, args, rows));
    for (size_t row = 0; row < positions.size(); ++row) {
      if (positions[row] == 0 && IsTrue(*same, static_cast<int64_t>(row))) positions[row] = i + 1;
    }
  }
  return positions;
}

/// Compares each item with the value of its row.
Result<std::shared_ptr<Array>> CompareItems(const CallContext& context, const ListRows& lists,
                                            const Operand& value, Kernel compare, int64_t rows) {
  const Operand items{lists.items(), false};
  Operand expected = value;
  if (!value.is_constant) {
    std::vector<int64_t> row_of_item(static_cast<size_t>(items.array->length()));
    for (int64_t row = 0; row < rows; ++row) {
      std::fill(row_of_item.begin() + lists.Begin(row), row_of_item.begin() + lists.End(row), row);
    }
    ARROW_ASSIGN_OR_RAISE(expected.array, Gather(context.pool, value.array, row_of_item));
  }
  const std::array<Operand, 2> args = {items, expected};
  return compare(context, args, items.array->length());
}

Result<std::vector<int64_t>> InManyLists(const CallContext& context, const ListRows& lists,
                                         const Operand& value, Kernel compare, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto same, CompareItems(context, lists, value, compare, rows));
  std::vector<int64_t> positions(static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t end = lists.End(row);
    int64_t at = lists.Begin(row);
    while (at < end && !IsTrue(*same, at)) ++at;
    if (at < end) positions[static_cast<size_t>(row)] = at - lists.Begin(row) + 1;
  }
  return positions;
}

}  // namespace

Result<ItemMatches> ItemMatches::Of(const CallContext& context, const Operand& lists,
                                    const Operand& value, Comparison comparison, int64_t rows) {
  ItemMatches matches;
  const ListRows list_rows(lists);
  Kernel compare = ComparisonKernel(comparison, *value.array->type());
  const CallContext booleans{context.pool, arrow::boolean()};
  auto add = [&](const std::shared_ptr<Array>& same) {
    matches.same_.push_back(std::static_pointer_cast<arrow::BooleanArray>(same));
  };
  // NULL among lists of nothing else.
  if (compare == nullptr) {
    const bool is_same = comparison == Comparison::kNotDistinct;
    ARROW_ASSIGN_OR_RAISE(auto same, arrow::MakeArrayFromScalar(arrow::BooleanScalar(is_same),
                                                                list_rows.items()->length()));
    add(same);
    return matches;
  }
  if (!lists.is_constant || value.is_constant) {
    ARROW_ASSIGN_OR_RAISE(auto same, CompareItems(booleans, list_rows, value, compare, rows));
    add(same);
    return matches;
  }
  matches.begin_ = list_rows.Begin(0);
  if (list_rows.Size(0) * rows > std::numeric_limits<int32_t>::max()) {
    return UserError("too many list items at once");
  }
  for (int64_t item = list_rows.Begin(0); item < list_rows.End(0); ++item) {
    const std::array<Operand, 2> args = {value, Operand{list_rows.items()->Slice(item, 1), true}};
    ARROW_ASSIGN_OR_RAISE(auto same, compare(booleans, args, rows));
    add(same);
  }
  return matches;
}

Result<std::vector<int64_t>> FindInLists(const CallContext& context, const Operand& lists,
                                         const Operand& value, Comparison comparison,
                                         int64_t rows) {
  const ListRows list_rows(lists);
  Kernel compare = ComparisonKernel(comparison, *value.array->type());
  // A value without comparisons is NULL: there is none like it.
  if (compare == nullptr) return std::vector<int64_t>(static_cast<size_t>(rows));
  const CallContext booleans{context.pool, arrow::boolean()};
  return lists.is_constant && !value.is_constant
             ? InOneList(booleans, list_rows, value, compare, rows)
             : InManyLists(booleans, list_rows, value, compare, rows);
}

}  // namespace lance::query
