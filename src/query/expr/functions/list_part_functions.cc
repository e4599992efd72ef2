#include <algorithm>
#include <optional>

#include "arrow/array/concatenate.h"
#include "query/expr/function.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/list_maker.h"
#include "query/expr/kernel/list_rows.h"
#include "query/expr/kernel/made_items.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

/// Lists of the items that choose(row, begin, end, &maker) adds, for rows that are not null.
template <typename Choose>
Result<std::shared_ptr<Array>> ChooseItems(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows,
                                           Choose choose) {
  const ListRows lists(args[0]);
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  ListMaker maker(context, rows);
  for (int64_t row = 0; row < rows; ++row) {
    if (!nulls.IsNull(row)) {
      ARROW_RETURN_NOT_OK(choose(row, lists.Begin(row), lists.End(row), &maker));
    }
    maker.EndRow(!nulls.IsNull(row));
  }
  return maker.Finish(lists.items());
}

// ---- array_slice ----

/// Where a slice begins, from 0: positions count from 1, or from -1 backwards.
int64_t SliceBegin(int64_t position, int64_t size) {
  if (position > 0) return position - 1;
  return position == 0 ? 0 : std::max<int64_t>(size + std::max(position, -size), 0);
}

/// The last item of a slice, from 0; below 0 if there is none.
int64_t SliceLast(int64_t position, int64_t size) {
  if (position > 0) return std::min(position, size) - 1;
  return position == 0 || position < -size ? -1 : size + position;
}

/// From one position to another, both included; every step-th item.
Result<std::shared_ptr<Array>> Slice(const CallContext& context, std::span<const Operand> args,
                                     int64_t rows) {
  const FixedValues<int64_t> begins(args[1]);
  const FixedValues<int64_t> ends(args[2]);
  const bool has_steps = args.size() > 3;
  const FixedValues<int64_t> steps(args[has_steps ? 3 : 1]);
  return ChooseItems(
      context, args, rows, [&](int64_t row, int64_t begin, int64_t end, ListMaker* maker) {
        const int64_t step = has_steps ? steps[row] : 1;
        if (step == 0) return UserError("array_slice() can't go on by steps of 0");
        const int64_t size = end - begin;
        const int64_t first = SliceBegin(begins[row], size);
        const int64_t last = SliceLast(ends[row], size);
        if (first >= size || last < 0) return Status::OK();
        // A step beyond the list ends it, whatever its size.
        const int64_t stride = std::clamp(step, -size, size);
        for (int64_t at = first; stride > 0 ? at <= last : at >= last; at += stride) {
          maker->Add(begin + at);
        }
        return Status::OK();
      });
}

Bound BindSlice(BindArgs args) {
  if (args.size() < 3 || args.size() > 4) return std::nullopt;
  TypePtr item = ItemTypeOf(*args[0]);
  const bool has_positions = std::all_of(args.begin() + 1, args.end(),
                                         [](const ExprPtr& arg) { return TakesInteger(*arg); });
  if (item == nullptr || !has_positions) return std::nullopt;
  TypePtr type = ListOf(*args[0], item);
  BoundFunction bound{{type}, type, Slice, /*can_fail=*/true};
  bound.arg_types.resize(args.size(), arrow::int64());
  return bound;
}

// ---- array_reverse, array_pop_back, array_pop_front ----

Result<std::shared_ptr<Array>> Reverse(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  return ChooseItems(context, args, rows,
                     [](int64_t, int64_t begin, int64_t end, ListMaker* maker) {
                       for (int64_t i = end; i > begin; --i) maker->Add(i - 1);
                       return Status::OK();
                     });
}

template <int64_t kFromStart, int64_t kFromEnd>
Result<std::shared_ptr<Array>> LeaveOut(const CallContext& context, std::span<const Operand> args,
                                        int64_t rows) {
  return ChooseItems(context, args, rows,
                     [](int64_t, int64_t begin, int64_t end, ListMaker* maker) {
                       for (int64_t i = begin + kFromStart; i < end - kFromEnd; ++i) maker->Add(i);
                       return Status::OK();
                     });
}

template <Kernel kKernel>
Bound BindListToList(BindArgs args) {
  TypePtr item = args.size() == 1 ? ItemTypeOf(*args[0]) : nullptr;
  if (item == nullptr) return std::nullopt;
  TypePtr type = ListOf(*args[0], item);
  return BoundFunction{{type}, type, kKernel};
}

// ---- array_compact, array_resize ----

/// Without nulls.
Result<std::shared_ptr<Array>> Compact(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  const std::shared_ptr<Array> items = ListRows(args[0]).items();
  return ChooseItems(context, args, rows,
                     [&](int64_t, int64_t begin, int64_t end, ListMaker* maker) {
                       for (int64_t i = begin; i < end; ++i) {
                         if (items->IsValid(i)) maker->Add(i);
                       }
                       return Status::OK();
                     });
}

/// The first items; null, or the value behind the size, in the place of those that are missing.
Result<std::shared_ptr<Array>> Resize(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  const ListRows lists(args[0]);
  const FixedValues<int64_t> sizes(args[1]);
  const std::shared_ptr<Array> items = lists.items();
  Operand fill{nullptr, true};
  if (args.size() > 2) {
    fill = args[2];
  } else {
    ARROW_ASSIGN_OR_RAISE(fill.array, arrow::MakeArrayOfNull(items->type(), 1, context.pool));
  }
  ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate({items, fill.array}, context.pool));
  MadeItems made("array_resize");
  ListMaker maker(context, rows);
  for (int64_t row = 0; row < rows; ++row) {
    if (IsNullAt(args[0], row)) {
      maker.EndRow(false);
      continue;
    }
    const int64_t size = IsNullAt(args[1], row) ? 0 : sizes[row];
    if (size < 0) return UserError("array_resize(): there is no list of ", size, " items");
    const int64_t kept = std::min(size, lists.Size(row));
    for (int64_t i = 0; i < kept; ++i) maker.Add(lists.Begin(row) + i);
    const int64_t filling = fill.IndexOf(row);
    ARROW_RETURN_NOT_OK(made.Add(size - kept, WeightOf(*fill.array, filling)));
    for (int64_t i = kept; i < size; ++i) maker.Add(items->length() + filling);
    maker.EndRow();
  }
  return maker.Finish(all);
}

Bound BindResize(BindArgs args) {
  if (args.size() < 2 || args.size() > 3 || !TakesInteger(*args[1])) return std::nullopt;
  TypePtr item = ItemTypeOf(*args[0]);
  if (item != nullptr && args.size() > 2) item = CommonType(item, args[2]->type);
  if (item == nullptr) return std::nullopt;
  TypePtr type = ListOf(*args[0], item);
  BoundFunction bound{{type, arrow::int64()}, type, Resize, /*can_fail=*/true};
  bound.arg_types.resize(args.size(), item);
  return bound;
}

// ---- array_any_value ----

/// The first item that is not null.
Result<std::shared_ptr<Array>> AnyValue(const CallContext& context, std::span<const Operand> args,
                                        int64_t rows) {
  const ListRows lists(args[0]);
  const std::shared_ptr<Array> items = lists.items();
  ARROW_ASSIGN_OR_RAISE(auto null, arrow::MakeArrayOfNull(items->type(), 1, context.pool));
  ARROW_ASSIGN_OR_RAISE(auto with_null, arrow::Concatenate({items, null}, context.pool));
  std::vector<int64_t> chosen(static_cast<size_t>(rows), items->length());
  for (int64_t row = 0; row < rows; ++row) {
    if (IsNullAt(args[0], row)) continue;
    int64_t at = lists.Begin(row);
    while (at < lists.End(row) && items->IsNull(at)) ++at;
    if (at < lists.End(row)) chosen[static_cast<size_t>(row)] = at;
  }
  return Gather(context.pool, with_null, chosen);
}

Bound BindAnyValue(BindArgs args) {
  TypePtr item = args.size() == 1 ? ItemTypeOf(*args[0]) : nullptr;
  if (item == nullptr) return std::nullopt;
  return BoundFunction{{ListOf(*args[0], item)}, item, AnyValue};
}

// ---- flatten ----

/// One list of the items of all lists in a list; those that are null have none.
Result<std::shared_ptr<Array>> Flatten(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  const ListRows lists(args[0]);
  const Operand inner{lists.items(), false};
  const ListRows inner_lists(inner);
  ListMaker maker(context, rows);
  for (int64_t row = 0; row < rows; ++row) {
    const bool is_valid = !IsNullAt(args[0], row);
    for (int64_t i = lists.Begin(row); is_valid && i < lists.End(row); ++i) {
      if (inner.array->IsNull(i)) continue;
      for (int64_t k = inner_lists.Begin(i); k < inner_lists.End(i); ++k) maker.Add(k);
    }
    maker.EndRow(is_valid);
  }
  return maker.Finish(inner_lists.items());
}

Result<std::shared_ptr<Array>> Identity(const CallContext& context, std::span<const Operand> args,
                                        int64_t rows) {
  return args[0].array;
}

/// Lists of other things stay as they are.
Bound BindFlatten(BindArgs args) {
  TypePtr inner = args.size() == 1 ? ItemTypeOf(*args[0]) : nullptr;
  if (inner == nullptr) return std::nullopt;
  if (!IsList(*inner)) return BindListToList<Identity>(args);
  TypePtr item = PlainType(inner->field(0)->type());
  const bool is_wide = args[0]->type->id() == Type::LARGE_LIST || inner->id() == Type::LARGE_LIST;
  TypePtr type = is_wide ? arrow::large_list(item) : arrow::list(item);
  return BoundFunction{{ListOf(*args[0], type)}, type, Flatten, /*can_fail=*/true};
}

// ---- array_repeat ----

/// A list of `count` times the same value.
Result<std::shared_ptr<Array>> Repeat(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  const FixedValues<int64_t> counts(args[1]);
  MadeItems made("array_repeat");
  const bool weigh_the_same = arrow::is_primitive(args[0].array->type_id());
  ListMaker maker(context, rows);
  for (int64_t row = 0; row < rows; ++row) {
    const bool is_valid = !IsNullAt(args[1], row);
    const int64_t count = is_valid ? std::max<int64_t>(counts[row], 0) : 0;
    const int64_t value = args[0].IndexOf(row);
    const int64_t weight = weigh_the_same ? 1 : WeightOf(*args[0].array, value);
    ARROW_RETURN_NOT_OK(made.Add(count, weight));
    maker.Add(value, count);
    maker.EndRow(is_valid);
  }
  return maker.Finish(args[0].array);
}

Bound BindRepeat(BindArgs args) {
  if (args.size() != 2 || !TakesInteger(*args[1])) return std::nullopt;
  return BoundFunction{
      {args[0]->type, arrow::int64()}, arrow::list(args[0]->type), Repeat, /*can_fail=*/true};
}

constexpr Function kFunctions[] = {
    {"array_slice", "array_slice(list, from, to[, step])", BindSlice},
    {"list_slice", "list_slice(list, from, to[, step])", BindSlice},
    {"array_reverse", "array_reverse(list)", BindListToList<Reverse>},
    {"list_reverse", "list_reverse(list)", BindListToList<Reverse>},
    {"array_pop_back", "array_pop_back(list)", BindListToList<LeaveOut<0, 1>>},
    {"list_pop_back", "list_pop_back(list)", BindListToList<LeaveOut<0, 1>>},
    {"array_pop_front", "array_pop_front(list)", BindListToList<LeaveOut<1, 0>>},
    {"list_pop_front", "list_pop_front(list)", BindListToList<LeaveOut<1, 0>>},
    {"array_compact", "array_compact(list)", BindListToList<Compact>},
    {"list_compact", "list_compact(list)", BindListToList<Compact>},
    {"array_resize", "array_resize(list, size[, value])", BindResize},
    {"list_resize", "list_resize(list, size[, value])", BindResize},
    {"array_any_value", "array_any_value(list)", BindAnyValue},
    {"list_any_value", "list_any_value(list)", BindAnyValue},
    {"flatten", "flatten(list)", BindFlatten},
    {"array_repeat", "array_repeat(value, count)", BindRepeat},
    {"list_repeat", "list_repeat(value, count)", BindRepeat},
};

}  // namespace

std::span<const Function> ListPartFunctions() { return kFunctions; }

}  // namespace lance::query
