#include <limits>

#include "arrow/array/concatenate.h"
#include "arrow/builder.h"
#include "query/expr/function.h"
#include "query/expr/kernel/list_maker.h"
#include "query/expr/kernel/list_rows.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

/// How many of the items that are found are treated.
enum class HowMany : uint8_t { kFirst, kCounted, kAll };

/// The most in each row; `counts` is the last argument of those that are counted.
class Limits {
 public:
  Limits(HowMany how_many, std::span<const Operand> args)
      : how_many_(how_many), counts_(args.back()) {}

  int64_t operator[](int64_t row) const {
    if (how_many_ == HowMany::kFirst) return 1;
    if (how_many_ == HowMany::kAll) return std::numeric_limits<int64_t>::max();
    return IsNullAt(counts_, row) ? 0 : FixedValues<int64_t>(counts_)[row];
  }

 private:
  HowMany how_many_;
  const Operand& counts_;
};

// ---- array_remove ----

template <HowMany kHowMany>
Result<std::shared_ptr<Array>> Remove(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto matches,
                        ItemMatches::Of(context, args[0], args[1], Comparison::kEqual, rows));
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args.first(2), rows));
  const Limits limits(kHowMany, args);
  const ListRows lists(args[0]);
  ListMaker maker(context, rows);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t left = limits[row];
    for (int64_t i = lists.Begin(row); !nulls.IsNull(row) && i < lists.End(row); ++i) {
      if (left > 0 && matches.IsMatch(row, i)) {
        --left;
      } else {
        maker.Add(i);
      }
    }
    maker.EndRow(!nulls.IsNull(row));
  }
  return maker.Finish(lists.items());
}

/// The type in which items are compared with a value, or null. Text is not read as numbers.
TypePtr ComparedItems(const Expr& list, const Expr& value) {
  TypePtr item = ItemTypeOf(list);
  if (item == nullptr) return nullptr;
  TypePtr common = CommonType(item, value.type);
  if (common == nullptr || common->id() == Type::NA) return common;
  const bool reads_text = IsString(*item) != IsString(*value.type) && item->id() != Type::NA &&
                          value.type->id() != Type::NA;
  const bool is_comparable = ComparisonKernel(Comparison::kEqual, *common) != nullptr;
  return reads_text || !is_comparable ? nullptr : common;
}

template <HowMany kHowMany>
Bound BindRemove(BindArgs args) {
  constexpr size_t kArgs = kHowMany == HowMany::kCounted ? 3 : 2;
  if (args.size() != kArgs || (kArgs == 3 && !TakesInteger(*args[2]))) return std::nullopt;
  TypePtr common = ComparedItems(*args[0], *args[1]);
  if (common == nullptr) return std::nullopt;
  TypePtr type = ListOf(*args[0], common);
  BoundFunction bound{{type, common}, type, Remove<kHowMany>, /*can_fail=*/true};
  bound.arg_types.resize(kArgs, arrow::int64());
  return bound;
}

// ---- array_replace ----

/// Null is found among nulls.
template <HowMany kHowMany>
Result<std::shared_ptr<Array>> Replace(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto matches,
                        ItemMatches::Of(context, args[0], args[1], Comparison::kNotDistinct, rows));
  const Limits limits(kHowMany, args);
  const ListRows lists(args[0]);
  const std::shared_ptr<Array> items = lists.items();
  ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate({items, args[2].array}, context.pool));
  ListMaker maker(context, rows);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t left = limits[row];
    const bool is_valid = !IsNullAt(args[0], row);
    for (int64_t i = lists.Begin(row); is_valid && i < lists.End(row); ++i) {
      const bool is_replaced = left > 0 && matches.IsMatch(row, i);
      maker.Add(is_replaced ? items->length() + args[2].IndexOf(row) : i);
      left -= is_replaced ? 1 : 0;
    }
    maker.EndRow(is_valid);
  }
  return maker.Finish(all);
}

template <HowMany kHowMany>
Bound BindReplace(BindArgs args) {
  constexpr size_t kArgs = kHowMany == HowMany::kCounted ? 4 : 3;
  if (args.size() != kArgs || (kArgs == 4 && !TakesInteger(*args[3]))) return std::nullopt;
  TypePtr from = ComparedItems(*args[0], *args[1]);
  TypePtr to = ComparedItems(*args[0], *args[2]);
  TypePtr common = from == nullptr || to == nullptr ? nullptr : CommonType(from, to);
  if (common == nullptr) return std::nullopt;
  TypePtr type = ListOf(*args[0], common);
  BoundFunction bound{{type, common, common}, type, Replace<kHowMany>, /*can_fail=*/true};
  bound.arg_types.resize(kArgs, arrow::int64());
  return bound;
}

// ---- array_positions ----

/// All of them, from 1. Null is found among nulls.
Result<std::shared_ptr<Array>> Positions(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto matches,
                        ItemMatches::Of(context, args[0], args[1], Comparison::kNotDistinct, rows));
  const ListRows lists(args[0]);
  auto items = std::make_shared<arrow::UInt64Builder>(context.pool);
  arrow::ListBuilder builder(context.pool, items, context.type);
  for (int64_t row = 0; row < rows; ++row) {
    if (IsNullAt(args[0], row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    ARROW_RETURN_NOT_OK(builder.Append());
    for (int64_t i = lists.Begin(row); i < lists.End(row); ++i) {
      if (!matches.IsMatch(row, i)) continue;
      ARROW_RETURN_NOT_OK(items->Append(static_cast<uint64_t>(i - lists.Begin(row) + 1)));
    }
  }
  return builder.Finish();
}

Bound BindPositions(BindArgs args) {
  if (args.size() != 2) return std::nullopt;
  TypePtr common = ComparedItems(*args[0], *args[1]);
  if (common == nullptr) return std::nullopt;
  return BoundFunction{
      {ListOf(*args[0], common), common}, arrow::list(arrow::uint64()), Positions, true};
}

constexpr Function kFunctions[] = {
    {"array_remove", "array_remove(list, value)", BindRemove<HowMany::kFirst>},
    {"list_remove", "list_remove(list, value)", BindRemove<HowMany::kFirst>},
    {"array_remove_n", "array_remove_n(list, value, count)", BindRemove<HowMany::kCounted>},
    {"list_remove_n", "list_remove_n(list, value, count)", BindRemove<HowMany::kCounted>},
    {"array_remove_all", "array_remove_all(list, value)", BindRemove<HowMany::kAll>},
    {"list_remove_all", "list_remove_all(list, value)", BindRemove<HowMany::kAll>},
    {"array_replace", "array_replace(list, from, to)", BindReplace<HowMany::kFirst>},
    {"list_replace", "list_replace(list, from, to)", BindReplace<HowMany::kFirst>},
    {"array_replace_n", "array_replace_n(list, from, to, count)", BindReplace<HowMany::kCounted>},
    {"list_replace_n", "list_replace_n(list, from, to, count)", BindReplace<HowMany::kCounted>},
    {"array_replace_all", "array_replace_all(list, from, to)", BindReplace<HowMany::kAll>},
    {"list_replace_all", "list_replace_all(list, from, to)", BindReplace<HowMany::kAll>},
    {"array_positions", "array_positions(list, value)", BindPositions},
    {"list_positions", "list_positions(list, value)", BindPositions},
};

}  // namespace

std::span<const Function> ListReplaceFunctions() { return kFunctions; }

}  // namespace lance::query
