#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "arrow/array/concatenate.h"
#include "query/expr/function.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/item_order.h"
#include "query/expr/kernel/list_maker.h"
#include "query/expr/kernel/list_rows.h"
#include "query/expr/kernel/number_types.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

// ---- array_append, array_prepend, array_concat ----

template <bool kAtEnd>
Result<std::shared_ptr<Array>> AddItem(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  const Operand& list = args[kAtEnd ? 0 : 1];
  const Operand& value = args[kAtEnd ? 1 : 0];
  const ListRows lists(list);
  const std::shared_ptr<Array> items = lists.items();
  ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate({items, value.array}, context.pool));
  ListMaker maker(context, rows);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t added = items->length() + value.IndexOf(row);
    if (!kAtEnd) maker.Add(added);
    // A list that is null counts as empty.
    const bool has_items = !IsNullAt(list, row);
    for (int64_t i = lists.Begin(row); has_items && i < lists.End(row); ++i) maker.Add(i);
    if (kAtEnd) maker.Add(added);
    maker.EndRow();
  }
  return maker.Finish(all);
}

template <bool kAtEnd>
Bound BindAddItem(BindArgs args) {
  if (args.size() != 2) return std::nullopt;
  const ExprPtr& list = args[kAtEnd ? 0 : 1];
  const ExprPtr& value = args[kAtEnd ? 1 : 0];
  TypePtr item = ItemTypeOf(*list);
  if (item == nullptr) return std::nullopt;
  TypePtr common = CommonType(item, value->type);
  if (common == nullptr) return std::nullopt;
  TypePtr type = ListOf(*list, common);
  if (kAtEnd) return BoundFunction{{type, common}, type, AddItem<true>};
  return BoundFunction{{common, type}, type, AddItem<false>};
}

/// Lists that are null count as empty; null if all are.
Result<std::shared_ptr<Array>> JoinLists(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  arrow::ArrayVector arrays;
  std::vector<int64_t> begins;
  int64_t length = 0;
  for (const Operand& arg : args) {
    arrays.push_back(ListRows(arg).items());
    begins.push_back(length);
    length += arrays.back()->length();
  }
  ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate(arrays, context.pool));
  ListMaker maker(context, rows);
  for (int64_t row = 0; row < rows; ++row) {
    bool is_valid = false;
    for (size_t k = 0; k < args.size(); ++k) {
      if (IsNullAt(args[k], row)) continue;
      is_valid = true;
      const ListRows lists(args[k]);
      for (int64_t i = lists.Begin(row); i < lists.End(row); ++i) maker.Add(begins[k] + i);
    }
    maker.EndRow(is_valid);
  }
  return maker.Finish(all);
}

Bound BindJoinLists(BindArgs args) {
  if (args.empty()) return std::nullopt;
  std::vector<TypePtr> items;
  bool is_wide = false;
  for (const ExprPtr& arg : args) {
    items.push_back(ItemTypeOf(*arg));
    if (items.back() == nullptr) return std::nullopt;
    is_wide = is_wide || arg->type->id() == Type::LARGE_LIST;
  }
  TypePtr common = CommonType(items);
  if (common == nullptr) return std::nullopt;
  TypePtr type = is_wide ? arrow::large_list(common) : arrow::list(common);
  return BoundFunction{std::vector<TypePtr>(args.size(), type), type, JoinLists};
}

// ---- by order ----

/// DESC, and NULLS LAST, of array_sort.
struct SortOrder {
  bool is_descending = false;
  bool nulls_first = true;
};

std::string UpperCase(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

SortOrder OrderOf(std::span<const Operand> args) {
  auto says = [&](size_t at, std::string_view word) {
    return args.size() > at && UpperCase(std::string(BytesValues(args[at])[0])) == word;
  };
  return {says(1, "DESC"), !says(2, "NULLS LAST")};
}

/// Most lists are short.
template <typename T, typename Less>
void StableSort(T* begin, T* end, Less less) {
  constexpr int64_t kShort = 32;
  if (end - begin > kShort) return std::stable_sort(begin, end, less);
  for (T* next = begin; next < end; ++next) {
    const T value = *next;
    T* at = next;
    for (; at > begin && less(value, at[-1]); --at) *at = at[-1];
    *at = value;
  }
}

/// Lists of numbers, none of which is null: the numbers themselves are moved.
template <typename T>
Result<std::shared_ptr<Array>> SortNumbers(const CallContext& context, const Operand& lists_operand,
                                           int64_t rows, bool is_descending) {
  const ListRows lists(lists_operand);
  const std::shared_ptr<Array> items = lists.items();
  const int64_t count = items->length();
  ARROW_ASSIGN_OR_RAISE(auto buffer, AllocateValues<T>(context.pool, count));
  T* values = buffer->template mutable_data_as<T>();
  std::copy_n(items->data()->GetValues<T>(1), count, values);
  auto less = [](T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return a < b || (a == a && b != b);
    return a < b;
  };
  for (int64_t row = 0; row < rows; ++row) {
    T* begin = values + lists.Begin(row);
    T* end = values + lists.End(row);
    if (is_descending) {
      StableSort(begin, end, [&](T a, T b) { return less(b, a); });
    } else {
      StableSort(begin, end, less);
    }
  }
  auto sorted = lists_operand.array->data()->Copy();
  sorted->type = context.type;
  sorted->child_data[0] = MakeFixed(items->type(), count, std::move(buffer), nullptr)->data();
  return arrow::MakeArray(sorted);
}

Result<std::shared_ptr<Array>> SortByOrder(const CallContext& context, const Operand& lists_operand,
                                           int64_t rows, const SortOrder& wanted) {
  const ListRows lists(lists_operand);
  ARROW_ASSIGN_OR_RAISE(const auto order, ItemOrder::Of(context.pool, lists.items()));
  const bool has_nulls = lists.items()->null_count() > 0;
  auto comes_before = [&](int64_t a, int64_t b) {
    if (has_nulls && (order.IsNull(a) || order.IsNull(b))) {
      return order.IsNull(a) != order.IsNull(b) && order.IsNull(a) == wanted.nulls_first;
    }
    return wanted.is_descending ? order.Less(b, a) : order.Less(a, b);
  };
  ListMaker maker(context, rows);
  std::vector<int64_t> row_items;
  for (int64_t row = 0; row < rows; ++row) {
    row_items.clear();
    const bool is_valid = !IsNullAt(lists_operand, row);
    const int64_t end = is_valid ? lists.End(row) : 0;
    for (int64_t i = lists.Begin(row); i < end; ++i) row_items.push_back(i);
    StableSort(row_items.data(), row_items.data() + row_items.size(), comes_before);
    for (int64_t item : row_items) maker.Add(item);
    maker.EndRow(is_valid);
  }
  return maker.Finish(lists.items());
}

Result<std::shared_ptr<Array>> SortLists(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  const SortOrder order = OrderOf(args);
  auto by_order = [&] { return SortByOrder(context, args[0], rows, order); };
  const std::shared_ptr<Array> items = ListRows(args[0]).items();
  if (items->null_count() > 0 || items->length() == 0) return by_order();
  return VisitNumberType(
      StorageId(*items->type()),
      [&]<typename T>(CType<T>) {
        return SortNumbers<T>(context, args[0], rows, order.is_descending);
      },
      by_order);
}

/// Each value once, where it comes first.
Result<std::shared_ptr<Array>> DistinctItems(const CallContext& context,
                                             std::span<const Operand> args, int64_t rows) {
  const ListRows lists(args[0]);
  ARROW_ASSIGN_OR_RAISE(auto ids, IdsOf(context.pool, lists.items()));
  // The last row that had each id; nulls come first.
  std::vector<int64_t> seen_in(ids.size() + 1, -1);
  ListMaker maker(context, rows);
  for (int64_t row = 0; row < rows; ++row) {
    const bool is_valid = !IsNullAt(args[0], row);
    const int64_t end = is_valid ? lists.End(row) : 0;
    for (int64_t i = lists.Begin(row); i < end; ++i) {
      int64_t& seen = seen_in[static_cast<size_t>(ids[static_cast<size_t>(i)] + 1)];
      if (seen != row) maker.Add(i);
      seen = row;
    }
    maker.EndRow(is_valid);
  }
  return maker.Finish(lists.items());
}

/// The largest (or smallest) item that is not null.
template <bool kIsLargest>
Result<std::shared_ptr<Array>> ExtremeItem(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  const ListRows lists(args[0]);
  const std::shared_ptr<Array> items = lists.items();
  ARROW_ASSIGN_OR_RAISE(const auto order, ItemOrder::Of(context.pool, items));
  ARROW_ASSIGN_OR_RAISE(auto null, arrow::MakeArrayOfNull(items->type(), 1, context.pool));
  ARROW_ASSIGN_OR_RAISE(auto with_null, arrow::Concatenate({items, null}, context.pool));
  const bool has_nulls = items->null_count() > 0;
  const int64_t none = items->length();
  std::vector<int64_t> chosen(static_cast<size_t>(rows), none);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t best = none;
    const int64_t end = IsNullAt(args[0], row) ? 0 : lists.End(row);
    for (int64_t i = lists.Begin(row); i < end; ++i) {
      if (has_nulls && order.IsNull(i)) continue;
      if (best == none || (kIsLargest ? order.Less(best, i) : order.Less(i, best))) best = i;
    }
    chosen[static_cast<size_t>(row)] = best;
  }
  return Gather(context.pool, with_null, chosen);
}

bool IsOneOf(const Expr& expr, std::string_view first, std::string_view second) {
  auto text = LiteralText(expr);
  if (!text) return false;
  const std::string upper = UpperCase(*text);
  return upper == first || upper == second;
}

Bound BindSort(BindArgs args) {
  if (args.empty() || args.size() > 3) return std::nullopt;
  TypePtr item = ItemTypeOf(*args[0]);
  if (!HasOrder(item)) return std::nullopt;
  if (args.size() > 1 && !IsOneOf(*args[1], "ASC", "DESC")) return std::nullopt;
  if (args.size() > 2 && !IsOneOf(*args[2], "NULLS FIRST", "NULLS LAST")) return std::nullopt;
  TypePtr type = ListOf(*args[0], item);
  BoundFunction bound{{type}, type, SortLists};
  bound.arg_types.resize(args.size(), arrow::utf8());
  return bound;
}

Bound BindDistinct(BindArgs args) {
  TypePtr item = args.size() == 1 ? ItemTypeOf(*args[0]) : nullptr;
  if (!HasOrder(item)) return std::nullopt;
  TypePtr type = ListOf(*args[0], item);
  return BoundFunction{{type}, type, DistinctItems};
}

template <bool kIsLargest>
Bound BindExtremeItem(BindArgs args) {
  TypePtr item = args.size() == 1 ? ItemTypeOf(*args[0]) : nullptr;
  if (!HasOrder(item)) return std::nullopt;
  return BoundFunction{{ListOf(*args[0], item)}, item, ExtremeItem<kIsLargest>};
}

constexpr Function kFunctions[] = {
    {"array_append", "array_append(list, value)", BindAddItem<true>},
    {"list_append", "list_append(list, value)", BindAddItem<true>},
    {"array_push_back", "array_push_back(list, value)", BindAddItem<true>},
    {"list_push_back", "list_push_back(list, value)", BindAddItem<true>},
    {"array_prepend", "array_prepend(value, list)", BindAddItem<false>},
    {"list_prepend", "list_prepend(value, list)", BindAddItem<false>},
    {"array_push_front", "array_push_front(value, list)", BindAddItem<false>},
    {"list_push_front", "list_push_front(value, list)", BindAddItem<false>},
    {"array_concat", "array_concat(list, …)", BindJoinLists},
    {"list_concat", "list_concat(list, …)", BindJoinLists},
    {"array_cat", "array_cat(list, …)", BindJoinLists},
    {"list_cat", "list_cat(list, …)", BindJoinLists},
    {"array_sort", "array_sort(list[, 'ASC' | 'DESC'[, 'NULLS FIRST' | 'NULLS LAST']])", BindSort},
    {"list_sort", "list_sort(list[, 'ASC' | 'DESC'[, 'NULLS FIRST' | 'NULLS LAST']])", BindSort},
    {"array_distinct", "array_distinct(list)", BindDistinct},
    {"list_distinct", "list_distinct(list)", BindDistinct},
    {"array_min", "array_min(list)", BindExtremeItem<false>},
    {"array_max", "array_max(list)", BindExtremeItem<true>},
    {"list_max", "list_max(list)", BindExtremeItem<true>},
};

}  // namespace

std::span<const Function> ListChangeFunctions() { return kFunctions; }

}  // namespace lance::query
