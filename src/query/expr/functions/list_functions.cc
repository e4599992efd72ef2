#include <array>
#include <limits>

#include "arrow/array/concatenate.h"
#include "arrow/builder.h"
#include "query/expr/function.h"
#include "query/expr/kernel/compare.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/list_rows.h"
#include "query/expr/kernel/reading.h"
#include "query/expr/kernel/value_set.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

// ---- array_has ----

bool IsTrue(const Array& booleans, int64_t at) {
  return booleans.IsValid(at) && static_cast<const arrow::BooleanArray&>(booleans).Value(at);
}

/// In a list that is written down, a value is looked for as by IN.
Result<std::shared_ptr<Array>> ArrayHasOneList(const CallContext& context,
                                               std::span<const Operand> args, int64_t rows) {
  const ListRows list(args[0]);
  ARROW_ASSIGN_OR_RAISE(auto set, ValueSet::Make(list.items()->Slice(list.Begin(0), list.Size(0))));
  return set->Contains(context.pool, args[1], rows);
}

Result<std::shared_ptr<Array>> ArrayHas(const CallContext& context, std::span<const Operand> args,
                                        int64_t rows) {
  const bool is_one_list = args[0].is_constant && !args[1].is_constant && args[0].array->IsValid(0);
  if (is_one_list && CanHash(*args[1].array->type())) return ArrayHasOneList(context, args, rows);
  ARROW_ASSIGN_OR_RAISE(auto positions,
                        FindInLists(context, args[0], args[1], Comparison::kEqual, rows));
  return MapBooleans(context, args, rows,
                     [&](int64_t row) { return positions[static_cast<size_t>(row)] > 0; });
}

/// From 1; null if it isn't there. Null is found among nulls.
Result<std::shared_ptr<Array>> ArrayPosition(const CallContext& context,
                                             std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto positions,
                        FindInLists(context, args[0], args[1], Comparison::kNotDistinct, rows));
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args.first(1), rows));
  arrow::UInt64Builder builder(context.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(rows));
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t position = positions[static_cast<size_t>(row)];
    if (position > 0 && !nulls.IsNull(row)) {
      builder.UnsafeAppend(static_cast<uint64_t>(position));
    } else {
      builder.UnsafeAppendNull();
    }
  }
  return builder.Finish();
}

/// The same from the place on that the third argument names, counted from 1.
Result<std::shared_ptr<Array>> ArrayPositionFrom(const CallContext& context,
                                                 std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(ItemMatches matches,
                        ItemMatches::Of(context, args[0], args[1], Comparison::kNotDistinct, rows));
  const std::array<Operand, 2> needed = {args[0], args[2]};
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, needed, rows));
  const ListRows lists(args[0]);
  const FixedValues<int64_t> starts(args[2]);
  arrow::UInt64Builder builder(context.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(rows));
  for (int64_t row = 0; row < rows; ++row) {
    if (nulls.IsNull(row)) {
      builder.UnsafeAppendNull();
      continue;
    }
    if (starts[row] < 1 || starts[row] > lists.Size(row) + 1) {
      return UserError("array_position() cannot start at ", starts[row], " in a list of ",
                       lists.Size(row), " items");
    }
    int64_t item = lists.Begin(row) + starts[row] - 1;
    while (item < lists.End(row) && !matches.IsMatch(row, item)) ++item;
    if (item < lists.End(row)) {
      builder.UnsafeAppend(static_cast<uint64_t>(item - lists.Begin(row) + 1));
    } else {
      builder.UnsafeAppendNull();
    }
  }
  return builder.Finish();
}

template <Kernel kKernel, const TypePtr& (*kType)()>
Bound BindListAndItem(BindArgs args) {
  if (args.size() != 2) return std::nullopt;
  TypePtr item = ItemTypeOf(*args[0]);
  if (item == nullptr) return std::nullopt;
  TypePtr common = CommonType(item, args[1]->type);
  bool reads_text = common != nullptr && IsString(*item) != IsString(*args[1]->type) &&
                    args[1]->type->id() != Type::NA;
  if (common == nullptr || reads_text) return std::nullopt;
  if (common->id() != Type::NA && ComparisonKernel(Comparison::kEqual, *common) == nullptr) {
    return std::nullopt;
  }
  return BoundFunction{{ListOf(*args[0], common), common}, kType(), kKernel};
}

Bound BindPosition(BindArgs args) {
  if (args.size() != 3) return BindListAndItem<ArrayPosition, arrow::uint64>(args);
  Bound bound = BindListAndItem<ArrayPositionFrom, arrow::uint64>(args.first(2));
  if (!bound || !TakesInteger(*args[2])) return std::nullopt;
  bound->arg_types.push_back(arrow::int64());
  bound->can_fail = true;
  return bound;
}

// ---- array_has_any, array_has_all ----

/// Whether each item of one list is among those of another. Null is among nulls.
class Membership {
 public:
  static Result<Membership> Of(const CallContext& context, const Operand& needles,
                               const Operand& haystacks) {
    Membership membership(needles, haystacks);
    if (!haystacks.is_constant || haystacks.array->IsNull(0)) return membership;
    ListRows lists(haystacks);
    auto values = membership.hay_items_->Slice(lists.Begin(0), lists.Size(0));
    if (!CanHash(*values->type())) return membership;
    membership.finds_null_ = values->null_count() > 0;
    ARROW_ASSIGN_OR_RAISE(auto set, ValueSet::Make(std::move(values)));
    Operand items{membership.items_, false};
    ARROW_ASSIGN_OR_RAISE(membership.found_,
                          set->Contains(context.pool, items, membership.items_->length()));
    return membership;
  }

  /// `item` is the place of an item of the needles in `row`.
  bool Contains(int64_t row, int64_t item) const {
    if (found_ != nullptr) return items_->IsNull(item) ? finds_null_ : IsTrue(*found_, item);
    ListRows hay(haystacks_);
    auto options = arrow::EqualOptions::Defaults().nans_equal(true);
    for (int64_t i = hay.Begin(row); i < hay.End(row); ++i) {
      if (items_->RangeEquals(*hay_items_, item, item + 1, i, options)) return true;
    }
    return false;
  }

 private:
  Membership(const Operand& needles, const Operand& haystacks)
      : haystacks_(haystacks),
        items_(ListRows(needles).items()),
        hay_items_(ListRows(haystacks).items()) {}

  const Operand& haystacks_;
  std::shared_ptr<Array> items_;
  std::shared_ptr<Array> hay_items_;
  std::shared_ptr<Array> found_;
  bool finds_null_ = false;
};

Result<std::shared_ptr<Array>> ArrayHasAny(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto membership, Membership::Of(context, args[0], args[1]));
  ListRows lists(args[0]);
  return MapBooleans(context, args, rows, [&](int64_t row) {
    for (int64_t i = lists.Begin(row); i < lists.End(row); ++i) {
      if (membership.Contains(row, i)) return true;
    }
    return false;
  });
}

/// All items of the second list are in the first.
Result<std::shared_ptr<Array>> ArrayHasAll(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto membership, Membership::Of(context, args[1], args[0]));
  ListRows wanted(args[1]);
  return MapBooleans(context, args, rows, [&](int64_t row) {
    for (int64_t i = wanted.Begin(row); i < wanted.End(row); ++i) {
      if (!membership.Contains(row, i)) return false;
    }
    return true;
  });
}

template <Kernel kKernel>
Bound BindTwoLists(BindArgs args) {
  if (args.size() != 2) return std::nullopt;
  TypePtr left = ItemTypeOf(*args[0]);
  TypePtr right = ItemTypeOf(*args[1]);
  if (left == nullptr || right == nullptr) return std::nullopt;
  TypePtr common = CommonType(left, right);
  if (common == nullptr) return std::nullopt;
  return BoundFunction{
      {ListOf(*args[0], common), ListOf(*args[1], common)}, arrow::boolean(), kKernel};
}

// ---- items ----

Result<std::shared_ptr<Array>> IsEmpty(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  ListRows lists(args[0]);
  return MapBooleans(context, args, rows, [&](int64_t row) { return lists.Size(row) == 0; });
}

Bound BindIsEmpty(BindArgs args) {
  if (args.size() != 1) return std::nullopt;
  TypePtr item = ItemTypeOf(*args[0]);
  if (item == nullptr) return std::nullopt;
  return BoundFunction{{ListOf(*args[0], item)}, arrow::boolean(), IsEmpty};
}

/// Counted from 1, or from -1 backwards; null if there is no such item.
Result<std::shared_ptr<Array>> ArrayElement(const CallContext& context,
                                            std::span<const Operand> args, int64_t rows) {
  ListRows lists(args[0]);
  FixedValues<int64_t> indexes(args[1]);
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  std::shared_ptr<Array> items = lists.items();
  ARROW_ASSIGN_OR_RAISE(auto null, arrow::MakeArrayOfNull(items->type(), 1, context.pool));
  ARROW_ASSIGN_OR_RAISE(auto with_null, arrow::Concatenate({items, null}, context.pool));
  std::vector<int64_t> chosen(static_cast<size_t>(rows), items->length());
  for (int64_t row = 0; row < rows; ++row) {
    if (nulls.IsNull(row)) continue;
    int64_t index = indexes[row];
    int64_t size = lists.Size(row);
    if (index == 0 || index > size || index < -size) continue;
    chosen[static_cast<size_t>(row)] =
        index > 0 ? lists.Begin(row) + index - 1 : lists.End(row) + index;
  }
  return Gather(context.pool, with_null, chosen);
}

Bound BindElement(BindArgs args) {
  if (args.size() != 2 || !TakesInteger(*args[1])) return std::nullopt;
  TypePtr item = ItemTypeOf(*args[0]);
  if (item == nullptr) return std::nullopt;
  return BoundFunction{{ListOf(*args[0], item), arrow::int64()}, item, ArrayElement};
}

Result<std::shared_ptr<Array>> MakeList(const CallContext& context, std::span<const Operand> args,
                                        int64_t rows) {
  auto count = static_cast<int64_t>(args.size());
  if (count * rows > std::numeric_limits<int32_t>::max()) {
    return UserError("too many list items at once");
  }
  arrow::ArrayVector arrays;
  std::vector<int64_t> begins;
  int64_t length = 0;
  for (const Operand& arg : args) {
    begins.push_back(length);
    length += arg.array->length();
    arrays.push_back(arg.array);
  }
  std::shared_ptr<Array> items;
  if (args.empty()) {
    ARROW_ASSIGN_OR_RAISE(items, arrow::MakeEmptyArray(context.type->field(0)->type()));
  } else {
    ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate(arrays, context.pool));
    std::vector<int64_t> chosen;
    for (int64_t row = 0; row < rows; ++row) {
      for (size_t i = 0; i < args.size(); ++i) chosen.push_back(begins[i] + args[i].IndexOf(row));
    }
    ARROW_ASSIGN_OR_RAISE(items, Gather(context.pool, all, chosen));
  }
  ARROW_ASSIGN_OR_RAISE(auto offsets, AllocateValues<int32_t>(context.pool, rows + 1));
  for (int64_t row = 0; row <= rows; ++row) {
    offsets->mutable_data_as<int32_t>()[row] = static_cast<int32_t>(row * count);
  }
  return arrow::MakeArray(
      arrow::ArrayData::Make(context.type, rows, {nullptr, std::move(offsets)}, {items->data()}));
}

Bound BindMakeArray(BindArgs args) {
  std::vector<TypePtr> types;
  for (const ExprPtr& arg : args) types.push_back(arg->type);
  TypePtr common = CommonType(types);
  if (common == nullptr) return std::nullopt;
  return BoundFunction{std::vector<TypePtr>(args.size(), common), arrow::list(common), MakeList};
}

constexpr Function kFunctions[] = {
    {"array_has", "array_has(list, value)", BindListAndItem<ArrayHas, arrow::boolean>},
    {"list_has", "list_has(list, value)", BindListAndItem<ArrayHas, arrow::boolean>},
    {"array_contains", "array_contains(list, value)", BindListAndItem<ArrayHas, arrow::boolean>},
    {"list_contains", "list_contains(list, value)", BindListAndItem<ArrayHas, arrow::boolean>},
    {"array_position", "array_position(list, value[, start])", BindPosition},
    {"list_position", "list_position(list, value[, start])", BindPosition},
    {"array_indexof", "array_indexof(list, value[, start])", BindPosition},
    {"list_indexof", "list_indexof(list, value[, start])", BindPosition},
    {"array_has_any", "array_has_any(list, list)", BindTwoLists<ArrayHasAny>},
    {"list_has_any", "list_has_any(list, list)", BindTwoLists<ArrayHasAny>},
    {"arrays_overlap", "arrays_overlap(list, list)", BindTwoLists<ArrayHasAny>},
    {"array_has_all", "array_has_all(list, list)", BindTwoLists<ArrayHasAll>},
    {"list_has_all", "list_has_all(list, list)", BindTwoLists<ArrayHasAll>},
    {"empty", "empty(list)", BindIsEmpty},
    {"array_empty", "array_empty(list)", BindIsEmpty},
    {"list_empty", "list_empty(list)", BindIsEmpty},
    {"array_element", "array_element(list, number)", BindElement},
    {"list_element", "list_element(list, number)", BindElement},
    {"array_extract", "array_extract(list, number)", BindElement},
    {"make_array", "make_array(value, …)", BindMakeArray},
    {"make_list", "make_list(value, …)", BindMakeArray},
};

}  // namespace

std::span<const Function> ListFunctions() { return kFunctions; }

}  // namespace lance::query
