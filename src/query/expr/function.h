#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/expr/coercion.h"
#include "query/expr/expr.h"

namespace lance::query {

/// A function for given arguments: what they are cast to, what it returns, how it is computed.
struct BoundFunction {
  std::vector<TypePtr> arg_types;
  TypePtr type;
  Kernel kernel = nullptr;
  bool can_fail = false;
};

/// A scalar function. Adding one is an entry in the table of a file in functions/.
struct Function {
  std::string_view name;
  /// For errors: `lpad(string, integer[, string])`
  std::string_view usage;
  /// nullopt if the function doesn't take such arguments.
  std::optional<BoundFunction> (*bind)(std::span<const ExprPtr> args);
  /// The parts of dates of which the first argument has to name one, if it has to.
  std::vector<std::string> (*parts)() = nullptr;
};

/// By lower-case name, aliases included; null if there is none.
const Function* FindFunction(std::string_view name);
std::vector<std::string> FunctionNames();

std::span<const Function> StringFunctions();
std::span<const Function> PadFunctions();
std::span<const Function> MathFunctions();
std::span<const Function> DateFunctions();
std::span<const Function> DateMakingFunctions();
std::span<const Function> DateTextFunctions();
std::span<const Function> DateBinFunctions();
std::span<const Function> ListFunctions();
std::span<const Function> ListChangeFunctions();
std::span<const Function> ListReplaceFunctions();
std::span<const Function> ListSetFunctions();
std::span<const Function> ListPartFunctions();
std::span<const Function> ListShapeFunctions();
std::span<const Function> ListTextFunctions();
std::span<const Function> RangeFunctions();
std::span<const Function> MapFunctions();
std::span<const Function> StructFunctions();
std::span<const Function> CodeFunctions();
std::span<const Function> TextPartFunctions();
std::span<const Function> RegexFunctions();
std::span<const Function> JsonFunctions();

// For the `bind` of functions.

/// The text of a literal string argument; nullopt for others.
std::optional<std::string> LiteralText(const Expr& expr);
/// Strings, or a null literal.
bool TakesString(const Expr& expr);
/// The type of a string argument: utf8 or large_utf8; a null literal is utf8.
TypePtr StringTypeOf(const Expr& expr);
/// The item type of a list argument (NULL has items of the null type); nullptr for others.
TypePtr ItemTypeOf(const Expr& expr);
/// A list of `item`, with 64-bit offsets if the argument has them.
TypePtr ListOf(const Expr& expr, const TypePtr& item);
bool TakesInteger(const Expr& expr);
bool TakesNumber(const Expr& expr);

}  // namespace lance::query
