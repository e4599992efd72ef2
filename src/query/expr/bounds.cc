#include "query/expr/bounds.h"

#include <optional>

#include "arrow/array.h"
#include "query/expr/kernel/compare.h"
#include "query/expr/kernel/value_set.h"

namespace lance::query {
namespace {

int Compare(const LiteralValue& a, const LiteralValue& b) {
  return CompareValues(Operand{a, true}, Operand{b, true}, 0);
}

bool HasOrder(const arrow::DataType& type) {
  return ComparisonKernel(Comparison::kLess, type) != nullptr;
}

/// Of two lower bounds (or upper ones: `sign` -1) the one that lets less through.
void Tighten(Bound* bound, const Bound& other, int sign) {
  if (bound->value == nullptr) {
    *bound = other;
    return;
  }
  int order = Compare(other.value, bound->value) * sign;
  if (order > 0) *bound = other;
  if (order == 0 && !other.is_inclusive) bound->is_inclusive = false;
}

void AddComparison(const Expr& comparison, ColumnBounds* bounds) {
  const Expr& literal = *comparison.args[1];
  const std::string& op = comparison.name;
  bounds->rejects_null = true;
  // Timestamps may be compared with those of another unit.
  if (!HasOrder(*literal.type) || !literal.type->Equals(*comparison.args[0]->type)) return;
  if (op == "=" || op == ">" || op == ">=") Tighten(&bounds->lower, {literal.value, op != ">"}, 1);
  if (op == "=" || op == "<" || op == "<=") Tighten(&bounds->upper, {literal.value, op != "<"}, -1);
}

/// Between the smallest and the largest value of the list.
void AddIn(const Expr& in, ColumnBounds* bounds) {
  bounds->rejects_null = true;
  const auto& values = in.set->values();
  LiteralValue least;
  LiteralValue largest;
  for (int64_t i = 0; i < values->length(); ++i) {
    if (values->IsNull(i)) continue;
    LiteralValue value = values->Slice(i, 1);
    if (least == nullptr || Compare(value, least) < 0) least = value;
    if (largest == nullptr || Compare(value, largest) > 0) largest = value;
  }
  if (least == nullptr) return;
  Tighten(&bounds->lower, {least, true}, 1);
  Tighten(&bounds->upper, {largest, true}, -1);
}

bool IsComparisonWithLiteral(const Expr& expr) {
  if (expr.kind != ExprKind::kCall || expr.args.size() != 2 || !expr.args[1]->IsLiteral()) {
    return false;
  }
  for (const char* op : {"=", "<>", "<", "<=", ">", ">="}) {
    if (expr.name == op) return expr.args[0]->kind == ExprKind::kColumn;
  }
  return false;
}

bool IsOfColumn(const Expr& expr) {
  return !expr.args.empty() && expr.args[0]->kind == ExprKind::kColumn;
}

}  // namespace

std::map<ColumnPath, ColumnBounds> BoundsOf(const ExprPtr& filter) {
  std::map<ColumnPath, ColumnBounds> all;
  for (const ExprPtr& conjunct : Conjuncts(filter)) {
    const Expr& expr = *conjunct;
    if (IsComparisonWithLiteral(expr)) {
      AddComparison(expr, &all[expr.args[0]->column]);
    } else if (expr.kind == ExprKind::kIn && IsOfColumn(expr)) {
      AddIn(expr, &all[expr.args[0]->column]);
    } else if (expr.IsCallOf("is null") && IsOfColumn(expr)) {
      all[expr.args[0]->column].must_be_null = true;
    } else if (expr.IsCallOf("is not null") && IsOfColumn(expr)) {
      all[expr.args[0]->column].rejects_null = true;
    } else if (expr.kind == ExprKind::kColumn) {
      all[expr.column].rejects_null = true;  // of booleans: true
    }
  }
  return all;
}

bool MayBeTrue(const ExprPtr& filter) {
  // One comparison can't contradict itself.
  if (filter->kind != ExprKind::kAnd) return true;
  for (const auto& [column, bounds] : BoundsOf(filter)) {
    if (bounds.must_be_null && bounds.rejects_null) return false;
    if (bounds.lower.value == nullptr || bounds.upper.value == nullptr) continue;
    const int order = Compare(bounds.lower.value, bounds.upper.value);
    const bool touches = bounds.lower.is_inclusive && bounds.upper.is_inclusive;
    if (order > 0 || (order == 0 && !touches)) return false;
  }
  return true;
}

}  // namespace lance::query
