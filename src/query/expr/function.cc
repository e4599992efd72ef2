#include "query/expr/function.h"

#include <unordered_map>

#include "arrow/array.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {
namespace {

using FunctionMap = std::unordered_map<std::string_view, const Function*>;

const FunctionMap& AllFunctions() {
  static const FunctionMap* const kFunctions = [] {
    auto* functions = new FunctionMap;
    for (auto table :
         {StringFunctions(),     PadFunctions(),         MathFunctions(),     DateFunctions(),
          DateMakingFunctions(), DateTextFunctions(),    DateBinFunctions(),  ListFunctions(),
          ListChangeFunctions(), ListReplaceFunctions(), ListSetFunctions(),  ListPartFunctions(),
          ListShapeFunctions(),  ListTextFunctions(),    RangeFunctions(),    MapFunctions(),
          StructFunctions(),     CodeFunctions(),        TextPartFunctions(), RegexFunctions(),
          JsonFunctions()}) {
      for (const Function& function : table) functions->emplace(function.name, &function);
    }
    return functions;
  }();
  return *kFunctions;
}

bool IsNullType(const Expr& expr) { return expr.type->id() == arrow::Type::NA; }

}  // namespace

const Function* FindFunction(std::string_view name) {
  auto found = AllFunctions().find(name);
  return found == AllFunctions().end() ? nullptr : found->second;
}

std::vector<std::string> FunctionNames() {
  std::vector<std::string> names;
  for (const auto& [name, function] : AllFunctions()) names.emplace_back(name);
  return names;
}

std::optional<std::string> LiteralText(const Expr& expr) {
  if (!expr.IsLiteral() || !IsString(*expr.type) || expr.value->IsNull(0)) return std::nullopt;
  return std::string(BytesValues(Operand{expr.value, true})[0]);
}

bool TakesString(const Expr& expr) { return IsString(*expr.type) || IsNullType(expr); }
TypePtr StringTypeOf(const Expr& expr) { return IsNullType(expr) ? arrow::utf8() : expr.type; }
TypePtr ItemTypeOf(const Expr& expr) {
  if (IsNullType(expr)) return expr.type;
  return IsList(*expr.type) ? PlainType(expr.type->field(0)->type()) : nullptr;
}
TypePtr ListOf(const Expr& expr, const TypePtr& item) {
  return expr.type->id() == arrow::Type::LARGE_LIST ? arrow::large_list(item) : arrow::list(item);
}
bool TakesInteger(const Expr& expr) {
  return arrow::is_integer(expr.type->id()) || IsNullType(expr);
}
bool TakesNumber(const Expr& expr) { return IsNumeric(*expr.type) || IsNullType(expr); }

}  // namespace lance::query
