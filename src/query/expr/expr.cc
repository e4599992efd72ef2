#include "query/expr/expr.h"

#include <algorithm>
#include <map>
#include <set>

#include "arrow/array.h"
#include "query/expr/coercion.h"
#include "query/expr/kernel/cast.h"

namespace lance::query {
namespace {

/// Parts that are shared are looked at once.
using SharedExprs = std::set<const Expr*>;

void CollectColumns(const Expr& expr, SharedExprs* seen, std::set<ColumnPath>* columns) {
  if (expr.is_shared && !seen->insert(&expr).second) return;
  if (expr.kind == ExprKind::kColumn) columns->insert(expr.column);
  for (const ExprPtr& arg : expr.args) CollectColumns(*arg, seen, columns);
}

class ColumnMover {
 public:
  explicit ColumnMover(const std::function<ColumnPath(const ColumnPath&)>& place_of)
      : place_of_(place_of) {}

  ExprPtr Move(const ExprPtr& expr) {
    if (expr->IsLiteral()) return expr;
    if (!expr->is_shared) return MoveNode(*expr);
    ExprPtr& moved = shared_[expr.get()];
    if (moved == nullptr) moved = MoveNode(*expr);
    return moved;
  }

 private:
  ExprPtr MoveNode(Expr moved) {
    if (moved.kind == ExprKind::kColumn) moved.column = place_of_(moved.column);
    for (ExprPtr& arg : moved.args) arg = Move(arg);
    return std::make_shared<const Expr>(std::move(moved));
  }

  const std::function<ColumnPath(const ColumnPath&)>& place_of_;
  std::map<const Expr*, ExprPtr> shared_;
};

class TextKeeper {
 public:
  explicit TextKeeper(std::string_view text) : text_(std::make_shared<const std::string>(text)) {}

  ExprPtr Keep(const ExprPtr& expr) {
    if (!expr->can_fail) return expr;
    if (!expr->is_shared) return KeepInNode(*expr);
    ExprPtr& kept = shared_[expr.get()];
    if (kept == nullptr) kept = KeepInNode(*expr);
    return kept;
  }

 private:
  ExprPtr KeepInNode(Expr kept) {
    kept.text = text_;
    for (ExprPtr& arg : kept.args) arg = Keep(arg);
    return std::make_shared<const Expr>(std::move(kept));
  }

  std::shared_ptr<const std::string> text_;
  std::map<const Expr*, ExprPtr> shared_;
};

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

ExprPtr MakeShared(const ExprPtr& expr) {
  // These cost nothing.
  if (expr->is_shared || expr->IsLiteral() || expr->kind == ExprKind::kColumn) return expr;
  Expr shared = *expr;
  shared.is_shared = true;
  return std::make_shared<const Expr>(std::move(shared));
}

ExprPtr WithText(const ExprPtr& expr, std::string_view text) {
  return expr->can_fail ? TextKeeper(text).Keep(expr) : expr;
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
  SharedExprs seen;
  CollectColumns(expr, &seen, &columns);
  return {columns.begin(), columns.end()};
}

ExprPtr MoveColumns(const ExprPtr& expr,
                    const std::function<ColumnPath(const ColumnPath&)>& place_of) {
  return ColumnMover(place_of).Move(expr);
}

}  // namespace lance::query
