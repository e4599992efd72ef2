#include <set>
#include <string>

#include "query/expr/function.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using arrow::Array;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

/// The arguments, from the kFirst-th each kStep-th, are the members.
template <size_t kFirst, size_t kStep>
Result<std::shared_ptr<Array>> MakeStruct(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  arrow::ArrayVector members;
  for (size_t i = kFirst; i < args.size(); i += kStep) {
    members.push_back(args[i].array);
    if (!args[i].is_constant) continue;
    const std::vector<int64_t> same(static_cast<size_t>(rows));
    ARROW_ASSIGN_OR_RAISE(members.back(), Gather(context.pool, args[i].array, same));
  }
  return std::make_shared<arrow::StructArray>(context.type, rows, members);
}

Bound BindStruct(BindArgs args) {
  if (args.empty()) return std::nullopt;
  BoundFunction bound{{}, nullptr, MakeStruct<0, 1>};
  arrow::FieldVector fields;
  for (const ExprPtr& arg : args) {
    bound.arg_types.push_back(arg->type);
    fields.push_back(arrow::field("c" + std::to_string(fields.size()), arg->type));
  }
  bound.type = arrow::struct_(fields);
  return bound;
}

Bound BindNamedStruct(BindArgs args) {
  if (args.empty() || args.size() % 2 != 0) return std::nullopt;
  BoundFunction bound{{}, nullptr, MakeStruct<1, 2>};
  arrow::FieldVector fields;
  std::set<std::string> names;
  for (size_t i = 0; i < args.size(); i += 2) {
    auto name = LiteralText(*args[i]);
    if (!name || name->empty() || !names.insert(*name).second) return std::nullopt;
    fields.push_back(arrow::field(*name, args[i + 1]->type));
    bound.arg_types.push_back(args[i]->type);
    bound.arg_types.push_back(args[i + 1]->type);
  }
  bound.type = arrow::struct_(fields);
  return bound;
}

constexpr Function kFunctions[] = {
    {"struct", "struct(value, …)", BindStruct},
    {"row", "row(value, …)", BindStruct},
    {"named_struct", "named_struct('name', value, …), each name once", BindNamedStruct},
};

}  // namespace

std::span<const Function> StructFunctions() { return kFunctions; }

}  // namespace lance::query
