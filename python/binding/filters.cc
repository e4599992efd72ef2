// Conditions that pyarrow made: taken apart, so that what the engine understands can be handed to
// it.

#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrow/buffer.h"
#include "arrow/compute/cast.h"
#include "arrow/compute/expression.h"
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

/// The operands of the ANDs at the top.
void CollectConjuncts(const Expression& expr, std::vector<Expression>* out) {
  const Expression::Call* call = expr.call();
  bool is_and =
      call != nullptr && (call->function_name == "and_kleene" || call->function_name == "and");
  if (!is_and) {
    out->push_back(expr);
    return;
  }
  for (const Expression& arg : call->arguments) CollectConjuncts(arg, out);
}

/// The same in terms that Substrait has: literals without dictionaries, casts that don't check.
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
  std::vector<Expression> args;
  for (const Expression& arg : call.arguments) {
    ARROW_ASSIGN_OR_RAISE(Expression plain, Plain(arg));
    args.push_back(std::move(plain));
  }
  auto options = call.options;
  if (call.function_name == "cast" && options != nullptr) {
    const auto& cast = static_cast<const arrow::compute::CastOptions&>(*options);
    options = std::make_shared<arrow::compute::CastOptions>(
        arrow::compute::CastOptions::Unsafe(cast.to_type));
  }
  return arrow::compute::call(call.function_name, std::move(args), std::move(options));
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

/// The parts of a serialized condition that all have to be true, each with the same in Substrait's
/// terms and the columns that it reads. `schema` has no dictionaries.
std::vector<std::tuple<nb::bytes, nb::bytes, std::vector<std::string>>> SplitFilter(
    const nb::bytes& serialized, nb::handle schema) {
  std::shared_ptr<arrow::Schema> columns = SchemaFromPython(schema);
  auto buffer = arrow::Buffer::FromString(std::string(serialized.c_str(), serialized.size()));
  std::vector<Expression> conjuncts;
  CollectConjuncts(OrValueError(arrow::compute::Deserialize(std::move(buffer))), &conjuncts);
  std::vector<std::tuple<nb::bytes, nb::bytes, std::vector<std::string>>> parts;
  for (const Expression& part : conjuncts) {
    Expression plain = OrValueError(Plain(part));
    // Binding makes implicit casts explicit.
    Expression bound = OrValueError(plain.Bind(*columns));
    parts.emplace_back(Serialized(part), Serialized(OrValueError(Plain(bound))),
                       ColumnsOf(part, *columns));
  }
  return parts;
}

}  // namespace

void BindFilters(nb::module_& module) {
  module.def("split_filter", &SplitFilter, "serialized"_a, "schema"_a);
}

}  // namespace lance::python
