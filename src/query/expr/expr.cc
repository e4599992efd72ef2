#include "query/expr/expr.h"

#include <algorithm>
#include <set>

#include "arrow/array.h"
#include "query/expr/coercion.h"
#include "query/expr/kernel/cast.h"

namespace lance::query {
namespace {

void CollectColumns(const Expr& expr, std::set<ColumnPath>* columns) {
  if (expr.kind == ExprKind::kColumn) columns->insert(expr.column);
  for (const ExprPtr& arg : expr.args) CollectColumns(*arg, columns);
}

/// Whether every value of one type has its counterpart in the other.
bool IsTotalCast(const arrow::DataType& from, const arrow::DataType& to) {
  if (from.id() == arrow::Type::NA) return true;
  if (IsString(to)) return IsString(from) || IsNumeric(from) || IsTemporal(from);
  if (arrow::is_floating(to.id())) return IsNumeric(from) || from.id() == arrow::Type::BOOL;
  if (!arrow::is_integer(from.id()) || !arrow::is_integer(to.id())) return false;
  int from_bits = arrow::bit_width(from.id());
  int to_bits = arrow::bit_width(to.id());
  bool from_signed = arrow::is_signed_integer(from.id());
  bool to_signed = arrow::is_signed_integer(to.id());
  if (from_signed == to_signed) return to_bits >= from_bits;
  return to_signed && to_bits > from_bits;
}

}  // namespace

bool Expr::IsNullLiteral() const { return IsLiteral() && value->IsNull(0); }

bool Expr::IsBooleanLiteral(bool wanted) const {
  return IsLiteral() && type->id() == arrow::Type::BOOL && value->IsValid(0) &&
         static_cast<const arrow::BooleanArray&>(*value).Value(0) == wanted;
}

ExprPtr MakeLiteral(LiteralValue value, SourceSpan at) {
  Expr expr{ExprKind::kLiteral, value->type(), at};
  expr.value = std::move(value);
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr MakeColumn(TypePtr type, ColumnPath column, std::string name, SourceSpan at) {
  Expr expr{ExprKind::kColumn, std::move(type), at};
  expr.column = std::move(column);
  expr.name = std::move(name);
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr MakeExpr(Expr expr) {
  for (const ExprPtr& arg : expr.args) {
    expr.depth = std::max(expr.depth, arg->depth + 1);
    expr.can_fail = expr.can_fail || arg->can_fail;
  }
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr MakeCast(ExprPtr expr, TypePtr type) {
  if (expr->type->Equals(*type)) return expr;
  Expr cast{ExprKind::kCall, std::move(type), expr->at, {std::move(expr)}};
  cast.name = "cast";
  cast.kernel = CastKernel(CastMode::kStrict);
  cast.can_fail = !IsTotalCast(*cast.args[0]->type, *cast.type);
  return MakeExpr(std::move(cast));
}

std::vector<ExprPtr> Conjuncts(const ExprPtr& expr) {
  if (expr->kind == ExprKind::kAnd) return expr->args;
  return {expr};
}

std::vector<ColumnPath> ReferencedColumns(const Expr& expr) {
  std::set<ColumnPath> columns;
  CollectColumns(expr, &columns);
  return {columns.begin(), columns.end()};
}

ExprPtr MoveColumns(const ExprPtr& expr,
                    const std::function<ColumnPath(const ColumnPath&)>& place_of) {
  if (expr->IsLiteral()) return expr;
  Expr moved = *expr;
  if (expr->kind == ExprKind::kColumn) moved.column = place_of(expr->column);
  for (ExprPtr& arg : moved.args) arg = MoveColumns(arg, place_of);
  return std::make_shared<const Expr>(std::move(moved));
}

}  // namespace lance::query
