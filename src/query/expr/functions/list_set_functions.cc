#include "arrow/array/concatenate.h"
#include "query/expr/function.h"
#include "query/expr/kernel/item_order.h"
#include "query/expr/kernel/list_maker.h"
#include "query/expr/kernel/list_rows.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

/// The items of two lists by row, equal ones sharing an id.
class TwoLists {
 public:
  static Result<TwoLists> Of(const CallContext& context, std::span<const Operand> args) {
    TwoLists lists(args);
    const std::shared_ptr<Array> first = lists.first_.items();
    const std::shared_ptr<Array> second = lists.second_.items();
    lists.second_begin_ = first->length();
    ARROW_ASSIGN_OR_RAISE(lists.all_, arrow::Concatenate({first, second}, context.pool));
    ARROW_ASSIGN_OR_RAISE(lists.ids_, IdsOf(context.pool, lists.all_));
    return lists;
  }

  struct Range {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t size() const { return end - begin; }
  };
  /// Places in all().
  Range First(int64_t row) const { return {first_.Begin(row), first_.End(row)}; }
  Range Second(int64_t row) const {
    return {second_begin_ + second_.Begin(row), second_begin_ + second_.End(row)};
  }
  const std::shared_ptr<Array>& all() const { return all_; }
  /// From 0, which is the id of null.
  size_t IdOf(int64_t item) const {
    return static_cast<size_t>(ids_[static_cast<size_t>(item)] + 1);
  }
  size_t id_count() const { return ids_.size() + 1; }

 private:
  explicit TwoLists(std::span<const Operand> args) : first_(args[0]), second_(args[1]) {}

  ListRows first_;
  ListRows second_;
  int64_t second_begin_ = 0;
  std::shared_ptr<Array> all_;
  std::vector<int64_t> ids_;
};

/// A set of ids that is emptied by going to the next row.
class IdSet {
 public:
  explicit IdSet(const TwoLists& lists) : row_of_(lists.id_count(), -1) {}

  bool Contains(size_t id, int64_t row) const { return row_of_[id] == row; }
  /// Whether it was not in it before.
  bool Insert(size_t id, int64_t row) {
    if (row_of_[id] == row) return false;
    row_of_[id] = row;
    return true;
  }

 private:
  std::vector<int64_t> row_of_;
};

Result<std::shared_ptr<Array>> Union(const CallContext& context, std::span<const Operand> args,
                                     int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto lists, TwoLists::Of(context, args));
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  IdSet seen(lists);
  ListMaker maker(context, rows);
  for (int64_t row = 0; row < rows; ++row) {
    for (auto range : {lists.First(row), lists.Second(row)}) {
      for (int64_t i = range.begin; !nulls.IsNull(row) && i < range.end; ++i) {
        if (seen.Insert(lists.IdOf(i), row)) maker.Add(i);
      }
    }
    maker.EndRow(!nulls.IsNull(row));
  }
  return maker.Finish(lists.all());
}

/// In the order of the longer list, as in the reference.
Result<std::shared_ptr<Array>> Intersect(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto lists, TwoLists::Of(context, args));
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  IdSet wanted(lists);
  IdSet seen(lists);
  ListMaker maker(context, rows);
  for (int64_t row = 0; row < rows; ++row) {
    auto longer = lists.First(row);
    auto shorter = lists.Second(row);
    if (longer.size() < shorter.size()) std::swap(longer, shorter);
    if (!nulls.IsNull(row)) {
      for (int64_t i = shorter.begin; i < shorter.end; ++i) wanted.Insert(lists.IdOf(i), row);
      for (int64_t i = longer.begin; i < longer.end; ++i) {
        const size_t id = lists.IdOf(i);
        if (wanted.Contains(id, row) && seen.Insert(id, row)) maker.Add(i);
      }
    }
    maker.EndRow(!nulls.IsNull(row));
  }
  return maker.Finish(lists.all());
}

Result<std::shared_ptr<Array>> Except(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto lists, TwoLists::Of(context, args));
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  IdSet gone(lists);
  ListMaker maker(context, rows);
  for (int64_t row = 0; row < rows; ++row) {
    const auto second = lists.Second(row);
    const auto first = lists.First(row);
    if (!nulls.IsNull(row)) {
      for (int64_t i = second.begin; i < second.end; ++i) gone.Insert(lists.IdOf(i), row);
      for (int64_t i = first.begin; i < first.end; ++i) {
        if (gone.Insert(lists.IdOf(i), row)) maker.Add(i);
      }
    }
    maker.EndRow(!nulls.IsNull(row));
  }
  return maker.Finish(lists.all());
}

template <Kernel kKernel>
Bound BindSets(BindArgs args) {
  if (args.size() != 2) return std::nullopt;
  TypePtr left = ItemTypeOf(*args[0]);
  TypePtr right = ItemTypeOf(*args[1]);
  if (left == nullptr || right == nullptr) return std::nullopt;
  TypePtr common = CommonType(left, right);
  if (!HasOrder(common)) return std::nullopt;
  const bool is_wide =
      args[0]->type->id() == Type::LARGE_LIST || args[1]->type->id() == Type::LARGE_LIST;
  TypePtr type = is_wide ? arrow::large_list(common) : arrow::list(common);
  return BoundFunction{{type, type}, type, kKernel, /*can_fail=*/true};
}

constexpr Function kFunctions[] = {
    {"array_union", "array_union(list, list)", BindSets<Union>},
    {"list_union", "list_union(list, list)", BindSets<Union>},
    {"array_intersect", "array_intersect(list, list)", BindSets<Intersect>},
    {"list_intersect", "list_intersect(list, list)", BindSets<Intersect>},
    {"array_except", "array_except(list, list)", BindSets<Except>},
    {"list_except", "list_except(list, list)", BindSets<Except>},
};

}  // namespace

std::span<const Function> ListSetFunctions() { return kFunctions; }

}  // namespace lance::query
