// Conditions that pyarrow made: taken apart, so that what the engine understands can be handed to
// it.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrow/buffer.h"
#include "arrow/compute/api_scalar.h"
#include "arrow/compute/cast.h"
#include "arrow/compute/expression.h"
#include "arrow/compute/function.h"
#include "arrow/scalar.h"
#include "arrow/type.h"
#include "arrow_exchange.h"
#include "bindings.h"

namespace nb = nanobind;
using namespace nanobind::literals;  // NOLINT: "name"_a

namespace lance::python {
namespace {

using arrow::compute::Expression;

template <typename Value>
Value OrValueError(arrow::Result<Value> result) {
  if (!result.ok()) throw nb::value_error(result.status().message().c_str());
  return *std::move(result);
}

bool IsCallOf(const Expression& expr, std::initializer_list<std::string_view> functions) {
  const Expression::Call* call = expr.call();
  return call != nullptr &&
         std::find(functions.begin(), functions.end(), call->function_name) != functions.end();
}

/// The operands of a chain of functions that stand for the same, in their order.
std::vector<Expression> OperandsOf(const Expression& chain,
                                   std::initializer_list<std::string_view> functions) {
  std::vector<Expression> operands;
  std::vector<Expression> left = {chain};
  while (!left.empty()) {
    Expression next = std::move(left.back());
    left.pop_back();
    if (IsCallOf(next, functions)) {
      const auto& args = next.call()->arguments;
      left.insert(left.end(), args.rbegin(), args.rend());
    } else {
      operands.push_back(std::move(next));
    }
  }
  return operands;
}

Expression Balanced(const std::string& function, std::span<const Expression> operands) {
  if (operands.size() == 1) return operands[0];
  const size_t half = operands.size() / 2;
  return arrow::compute::call(function, {Balanced(function, operands.first(half)),
                                         Balanced(function, operands.subspan(half))});
}

/// The same in terms that Substrait has: literals without dictionaries, casts that don't check.
/// Chains of ANDs and ORs become balanced trees, as pyarrow's time for Substrait doubles with each
/// level.
arrow::Result<Expression> Plain(const Expression& expr) {
  if (const arrow::Datum* literal = expr.literal()) {
    bool is_encoded = literal->is_scalar() && literal->type()->id() == arrow::Type::DICTIONARY;
    if (!is_encoded) return expr;
    const auto& scalar = static_cast<const arrow::DictionaryScalar&>(*literal->scalar());
    ARROW_ASSIGN_OR_RAISE(auto value, scalar.GetEncodedValue());
    return arrow::compute::literal(std::move(value));
  }
  if (const arrow::FieldRef* field = expr.field_ref()) return arrow::compute::field_ref(*field);
  const Expression::Call& call = *expr.call();
  const bool is_chain = IsCallOf(expr, {"and_kleene", "or_kleene"});
  std::vector<Expression> args = is_chain ? OperandsOf(expr, {call.function_name}) : call.arguments;
  for (Expression& arg : args) {
    ARROW_ASSIGN_OR_RAISE(arg, Plain(arg));
  }
  if (is_chain) return Balanced(call.function_name, args);
  auto options = call.options;
  if (call.function_name == "cast" && options != nullptr) {
    const auto& cast = static_cast<const arrow::compute::CastOptions&>(*options);
    options = std::make_shared<arrow::compute::CastOptions>(
        arrow::compute::CastOptions::Unsafe(cast.to_type));
  }
  return arrow::compute::call(call.function_name, std::move(args), std::move(options));
}

/// Options are lost in Substrait, but for casts, whose checks the engine makes.
bool HasPlainOptions(const Expression::Call& call) {
  if (call.options == nullptr) return true;
  if (call.function_name == "cast") {
    const auto& cast = static_cast<const arrow::compute::CastOptions&>(*call.options);
    return cast.Equals(arrow::compute::CastOptions::Safe(cast.to_type));
  }
  // These have their argument there.
  if (call.function_name == "is_in") return true;
  std::string_view type = call.options->type_name();
  if (type == "MatchSubstringOptions") {
    return !static_cast<const arrow::compute::MatchSubstringOptions&>(*call.options).ignore_case;
  }
  const auto* defaults = call.function->default_options();
  return defaults != nullptr && call.options->Equals(*defaults);
}

/// Whether a function of pyarrow is that of SQL: arithmetic without checks wraps around, choices
/// by a null are null, and so is AND of a null.
bool IsOfSql(const Expression::Call& call, const arrow::DataType& result) {
  constexpr std::array<std::string_view, 9> kUnchecked = {"add",    "subtract",   "multiply",
                                                          "divide", "power",      "negate",
                                                          "abs",    "shift_left", "shift_right"};
  constexpr std::array<std::string_view, 6> kOther = {"if_else", "case_when", "choose",
                                                      "and",     "or",        "and_not"};
  auto is_one_of = [&](const auto& names) {
    return std::find(names.begin(), names.end(), call.function_name) != names.end();
  };
  return !is_one_of(kOther) && (!is_one_of(kUnchecked) || arrow::is_floating(result.id()));
}

/// Whether the engine means the same by an expression, bound to a schema.
bool KeepsItsMeaning(const Expression& bound) {
  const Expression::Call* call = bound.call();
  if (call == nullptr) return true;
  return HasPlainOptions(*call) && IsOfSql(*call, *bound.type()) &&
         std::all_of(call->arguments.begin(), call->arguments.end(), KeepsItsMeaning);
}

/// What it takes pyarrow to make Substrait of it, where a column or literal takes 1: twice as much
/// with each level.
double SubstraitCost(const Expression& expr) {
  if (expr.call() == nullptr) return 1;
  double cost = 1;
  for (const Expression& arg : expr.call()->arguments) cost += 2 * SubstraitCost(arg);
  return cost;
}

nb::bytes Serialized(const Expression& expr) {
  auto buffer = OrValueError(arrow::compute::Serialize(expr));
  return nb::bytes(buffer->data(), static_cast<size_t>(buffer->size()));
}

/// Names of the top-level columns that an expression reads.
std::vector<std::string> ColumnsOf(const Expression& expr, const arrow::Schema& schema) {
  std::vector<std::string> names;
  for (const arrow::FieldRef& field : arrow::compute::FieldsInExpression(expr)) {
    arrow::FieldPath path = OrValueError(field.FindOne(schema));
    names.push_back(schema.field(path.indices()[0])->name());
  }
  return names;
}

/// Of a condition: a part that has to be true, the same in Substrait's terms, the columns that it
/// reads, whether the engine may be asked for it, and SubstraitCost.
using FilterPart = std::tuple<nb::bytes, nb::bytes, std::vector<std::string>, bool, double>;

/// The parts of a serialized condition. `schema` has no dictionaries.
std::vector<FilterPart> SplitFilter(const nb::bytes& serialized, nb::handle schema) {
  std::shared_ptr<arrow::Schema> columns = SchemaFromPython(schema);
  auto buffer = arrow::Buffer::FromString(std::string(serialized.c_str(), serialized.size()));
  const Expression condition = OrValueError(arrow::compute::Deserialize(std::move(buffer)));
  std::vector<FilterPart> parts;
  // What has to be true is true whichever of the two ANDs says so.
  for (const Expression& part : OperandsOf(condition, {"and_kleene", "and"})) {
    Expression plain = OrValueError(Plain(part));
    // Binding makes implicit casts explicit.
    Expression bound = OrValueError(plain.Bind(*columns));
    parts.emplace_back(Serialized(part), Serialized(OrValueError(Plain(bound))),
                       ColumnsOf(part, *columns), KeepsItsMeaning(bound), SubstraitCost(bound));
  }
  return parts;
}

}  // namespace

void BindFilters(nb::module_& module) {
  module.def("split_filter", &SplitFilter, "serialized"_a, "schema"_a);
}

}  // namespace lance::python
