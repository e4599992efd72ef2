#include "arrow/builder.h"
#include "query/expr/function.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/list_rows.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

/// The same type with all lists in it as lists of offsets. Bounded by the depth of types.
TypePtr WithOffsets(const TypePtr& type) {
  if (!IsList(*type)) return PlainType(type);
  TypePtr item = WithOffsets(type->field(0)->type());
  return type->id() == Type::LARGE_LIST ? arrow::large_list(item) : arrow::list(item);
}

size_t DimensionsOf(const arrow::DataType& type) {
  size_t count = 0;
  for (const arrow::DataType* at = &type; IsList(*at); at = at->field(0)->type().get()) ++count;
  return count;
}

/// Lists, the lists in them, ….
std::vector<Operand> LevelsOf(const Operand& lists) {
  std::vector<Operand> levels = {lists};
  for (size_t left = DimensionsOf(*lists.array->type()); left > 1; --left) {
    levels.push_back({ListRows(levels.back()).items(), false});
  }
  return levels;
}

/// The sizes of a list, its first item, the first item of that …: lists in lists are taken to be of
/// the same size.
class Shape {
 public:
  explicit Shape(const Operand& lists) : levels_(LevelsOf(lists)) {}

  size_t dimensions() const { return levels_.size(); }

  /// Calls use(size) for each dimension from the first; lists below an empty one have no items.
  template <typename Use>
  Status ForEach(int64_t row, Use use) const {
    int64_t at = row;
    bool is_there = true;
    for (const Operand& level : levels_) {
      const ListRows lists(level);
      const int64_t size = is_there && level.array->IsValid(level.IndexOf(at)) ? lists.Size(at) : 0;
      ARROW_RETURN_NOT_OK(use(static_cast<uint64_t>(size)));
      is_there = size > 0;
      if (is_there) at = lists.Begin(at);
    }
    return Status::OK();
  }

 private:
  std::vector<Operand> levels_;
};

/// Null for lists without items.
Result<std::shared_ptr<Array>> Dimensions(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  const Shape shape(args[0]);
  const ListRows lists(args[0]);
  auto sizes = std::make_shared<arrow::UInt64Builder>(context.pool);
  arrow::ListBuilder builder(context.pool, sizes, context.type);
  for (int64_t row = 0; row < rows; ++row) {
    if (IsNullAt(args[0], row) || lists.Size(row) == 0) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    ARROW_RETURN_NOT_OK(builder.Append());
    ARROW_RETURN_NOT_OK(shape.ForEach(row, [&](uint64_t size) { return sizes->Append(size); }));
  }
  return builder.Finish();
}

Result<std::shared_ptr<Array>> CountDimensions(const CallContext& context,
                                               std::span<const Operand> args, int64_t rows) {
  const uint64_t count = DimensionsOf(*args[0].array->type());
  return MapFixed<uint64_t>(context, args, rows, [&](int64_t) { return count; });
}

/// Null for a dimension that the lists don't have.
Result<std::shared_ptr<Array>> LengthOf(const CallContext& context, std::span<const Operand> args,
                                        int64_t rows) {
  const Shape shape(args[0]);
  const FixedValues<int64_t> dimensions(args[1]);
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  arrow::UInt64Builder builder(context.pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(rows));
  for (int64_t row = 0; row < rows; ++row) {
    const bool is_there = !nulls.IsNull(row) && dimensions[row] >= 1 &&
                          static_cast<uint64_t>(dimensions[row]) <= shape.dimensions();
    if (!is_there) {
      builder.UnsafeAppendNull();
      continue;
    }
    int64_t left = dimensions[row];
    ARROW_RETURN_NOT_OK(shape.ForEach(row, [&](uint64_t size) {
      if (--left == 0) builder.UnsafeAppend(size);
      return Status::OK();
    }));
  }
  return builder.Finish();
}

template <Kernel kKernel>
Bound BindShape(BindArgs args, const TypePtr& type) {
  if (args.size() != 1 || !IsList(*args[0]->type)) return std::nullopt;
  return BoundFunction{{WithOffsets(args[0]->type)}, type, kKernel};
}

Bound BindDimensions(BindArgs args) {
  return BindShape<Dimensions>(args, arrow::list(arrow::uint64()));
}
Bound BindCountDimensions(BindArgs args) {
  return BindShape<CountDimensions>(args, arrow::uint64());
}

Result<std::shared_ptr<Array>> Length(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  ListRows lists(args[0]);
  return MapFixed<uint64_t>(context, args, rows,
                            [&](int64_t row) { return static_cast<uint64_t>(lists.Size(row)); });
}

Bound BindLength(BindArgs args) {
  TypePtr item = args.empty() ? nullptr : ItemTypeOf(*args[0]);
  if (item == nullptr || args.size() > 2) return std::nullopt;
  const bool has_offsets =
      args[0]->type->id() == Type::LIST || args[0]->type->id() == Type::LARGE_LIST;
  TypePtr lists = has_offsets ? args[0]->type : ListOf(*args[0], item);
  if (args.size() == 1) return BoundFunction{{lists}, arrow::uint64(), Length};
  if (!TakesInteger(*args[1])) return std::nullopt;
  return BoundFunction{
      {WithOffsets(lists), arrow::int64()}, arrow::uint64(), LengthOf, /*can_fail=*/true};
}

/// Items of the lists in one, or of the lists in those ….
int64_t CountItems(std::span<const Operand> levels, int64_t at) {
  const ListRows lists(levels[0]);
  if (levels[0].array->IsNull(levels[0].IndexOf(at))) return 0;
  if (levels.size() == 1) return lists.Size(at);
  int64_t count = 0;
  for (int64_t i = lists.Begin(at); i < lists.End(at); ++i) {
    count += CountItems(levels.subspan(1), i);
  }
  return count;
}

Result<std::shared_ptr<Array>> Cardinality(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  const std::vector<Operand> levels = LevelsOf(args[0]);
  return MapFixed<uint64_t>(context, args, rows, [&](int64_t row) {
    return static_cast<uint64_t>(CountItems(levels, row));
  });
}

/// Maps are lists of entries.
Bound BindCardinality(BindArgs args) {
  if (args.size() != 1) return std::nullopt;
  if (args[0]->type->id() == Type::MAP) {
    return BoundFunction{{args[0]->type}, arrow::uint64(), Length};
  }
  const bool is_nested = DimensionsOf(*args[0]->type) > 1;
  return is_nested ? BindShape<Cardinality>(args, arrow::uint64()) : BindLength(args);
}

constexpr Function kFunctions[] = {
    {"array_length", "array_length(list[, dimension])", BindLength},
    {"list_length", "list_length(list[, dimension])", BindLength},
    {"cardinality", "cardinality(list or map)", BindCardinality},
    {"array_ndims", "array_ndims(list)", BindCountDimensions},
    {"list_ndims", "list_ndims(list)", BindCountDimensions},
    {"array_dims", "array_dims(list)", BindDimensions},
    {"list_dims", "list_dims(list)", BindDimensions},
};

}  // namespace

std::span<const Function> ListShapeFunctions() { return kFunctions; }

}  // namespace lance::query
