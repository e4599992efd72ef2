#include "arrow/array/concatenate.h"
#include "query/expr/function.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/list_rows.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

enum MapChild : int { kKeys = 0, kValues = 1 };

/// The keys or values of all maps of an array. Where those of each row are, its offsets tell.
Result<std::shared_ptr<Array>> Children(arrow::MemoryPool* pool, const Operand& maps,
                                        MapChild child) {
  const auto entries = ListRows(maps).items();
  return Plain(pool, static_cast<const arrow::StructArray&>(*entries).field(child));
}

/// Maps as lists of `items`, of which there are as many as entries.
std::shared_ptr<Array> AsLists(const Operand& maps, const std::shared_ptr<Array>& items) {
  auto data = maps.array->data()->Copy();
  data->type = arrow::list(items->type());
  data->child_data = {items->data()};
  return arrow::MakeArray(data);
}

template <MapChild kChild>
Result<std::shared_ptr<Array>> ListChildren(const CallContext& context,
                                            std::span<const Operand> args, int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto items, Children(context.pool, args[0], kChild));
  return AsLists(args[0], items);
}

Result<std::shared_ptr<Array>> Entries(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  auto data = args[0].array->data()->Copy();
  data->type = context.type;
  return arrow::MakeArray(data);
}

TypePtr ChildType(const Expr& map, MapChild child) {
  return PlainType(map.type->field(0)->type()->field(child)->type());
}

bool IsMap(const Expr& expr) { return expr.type->id() == Type::MAP; }

template <MapChild kChild>
Bound BindChildren(BindArgs args) {
  if (args.size() != 1 || !IsMap(*args[0])) return std::nullopt;
  return BoundFunction{
      {args[0]->type}, arrow::list(ChildType(*args[0], kChild)), ListChildren<kChild>};
}

Bound BindEntries(BindArgs args) {
  if (args.size() != 1 || !IsMap(*args[0])) return std::nullopt;
  TypePtr entry = args[0]->type->field(0)->type();
  TypePtr type = arrow::list(arrow::field("item", entry, /*nullable=*/false));
  return BoundFunction{{args[0]->type}, type, Entries};
}

/// The value of a key; null if there is none.
Result<std::shared_ptr<Array>> ValueOf(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto keys, Children(context.pool, args[0], kKeys));
  ARROW_ASSIGN_OR_RAISE(keys,
                        CastArray(context.pool, keys, args[1].array->type(), CastMode::kStrict));
  const Operand key_lists{AsLists(args[0], keys), args[0].is_constant};
  ARROW_ASSIGN_OR_RAISE(auto positions,
                        FindInLists(context, key_lists, args[1], Comparison::kEqual, rows));
  ARROW_ASSIGN_OR_RAISE(auto values, Children(context.pool, args[0], kValues));
  ARROW_ASSIGN_OR_RAISE(auto null, arrow::MakeArrayOfNull(values->type(), 1, context.pool));
  ARROW_ASSIGN_OR_RAISE(auto with_null, arrow::Concatenate({values, null}, context.pool));
  const ListRows entries(args[0]);
  std::vector<int64_t> chosen(static_cast<size_t>(rows), values->length());
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t position = positions[static_cast<size_t>(row)];
    if (position == 0 || IsNullAt(args[0], row)) continue;
    chosen[static_cast<size_t>(row)] = entries.Begin(row) + position - 1;
  }
  return Gather(context.pool, with_null, chosen);
}

/// The same as a list of one.
Result<std::shared_ptr<Array>> Extract(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto values, ValueOf(context, args, rows));
  ARROW_ASSIGN_OR_RAISE(auto offsets, AllocateValues<int32_t>(context.pool, rows + 1));
  for (int64_t row = 0; row <= rows; ++row) {
    offsets->mutable_data_as<int32_t>()[row] = static_cast<int32_t>(row);
  }
  return arrow::MakeArray(
      arrow::ArrayData::Make(context.type, rows, {nullptr, std::move(offsets)}, {values->data()}));
}

template <Kernel kKernel, bool kIsList>
Bound BindKey(BindArgs args) {
  if (args.size() != 2 || !IsMap(*args[0])) return std::nullopt;
  TypePtr key = ChildType(*args[0], kKeys);
  TypePtr common = CommonType(key, args[1]->type);
  const bool reads_text =
      IsString(*key) != IsString(*args[1]->type) && args[1]->type->id() != Type::NA;
  if (common == nullptr || reads_text || !CanCast(*key, *common)) return std::nullopt;
  if (ComparisonKernel(Comparison::kEqual, *common) == nullptr) return std::nullopt;
  TypePtr value = ChildType(*args[0], kValues);
  return BoundFunction{{args[0]->type, common}, kIsList ? arrow::list(value) : value, kKernel};
}

constexpr Function kFunctions[] = {
    {"map_keys", "map_keys(map)", BindChildren<kKeys>},
    {"map_values", "map_values(map)", BindChildren<kValues>},
    {"map_entries", "map_entries(map)", BindEntries},
    {"map_extract", "map_extract(map, key)", BindKey<Extract, true>},
    {"element_at", "element_at(map, key)", BindKey<Extract, true>},
    {"map[]", "map[key]", BindKey<ValueOf, false>},
};

}  // namespace

std::span<const Function> MapFunctions() { return kFunctions; }

}  // namespace lance::query
