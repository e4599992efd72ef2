#include "query/expr/predicates.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "arrow/array.h"
#include "arrow/memory_pool.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "query/expr/evaluate.h"
#include "query/expr/kernel/logic.h"
#include "query/expr/year_range.h"

namespace lance::query {
namespace {

ExprPtr BooleanCall(std::string_view name, Kernel kernel, std::vector<ExprPtr> args,
                    SourceSpan at) {
  Expr call{ExprKind::kCall, arrow::boolean(), at, std::move(args)};
  call.name = name;
  call.kernel = kernel;
  return Fold(MakeExpr(std::move(call)));
}

/// AND or OR: `neutral` operands are left out, one that is its opposite decides.
ExprPtr MakeChain(ExprKind kind, const std::vector<ExprPtr>& args, SourceSpan at) {
  const bool neutral = kind == ExprKind::kAnd;
  std::vector<ExprPtr> kept;
  kept.reserve(args.size());
  auto keep = [&](const ExprPtr& arg) {
    if (!arg->IsBooleanLiteral(neutral)) kept.push_back(arg);
  };
  for (const ExprPtr& arg : args) {
    if (arg->kind == kind) {
      std::for_each(arg->args.begin(), arg->args.end(), keep);
    } else {
      keep(arg);
    }
  }
  // What comes before might still fail, but nobody asks for that.
  for (const ExprPtr& arg : kept) {
    if (arg->IsBooleanLiteral(!neutral)) return MakeLiteral(BooleanLiteral(!neutral), at);
  }
  if (kept.empty()) return MakeLiteral(BooleanLiteral(neutral), at);
  if (kept.size() == 1) return kept[0];
  return MakeExpr({kind, arrow::boolean(), at, std::move(kept)});
}

std::optional<Comparison> ComparisonOf(const Expr& expr) {
  if (expr.kind != ExprKind::kCall) return std::nullopt;
  for (auto comparison : {Comparison::kEqual, Comparison::kNotEqual, Comparison::kLess,
                          Comparison::kLessEqual, Comparison::kGreater, Comparison::kGreaterEqual,
                          Comparison::kDistinct, Comparison::kNotDistinct}) {
    if (expr.name == ComparisonName(comparison)) return comparison;
  }
  return std::nullopt;
}

}  // namespace

ExprPtr Fold(ExprPtr expr) {
  bool is_constant = !expr->IsLiteral() && expr->kind != ExprKind::kColumn &&
                     std::all_of(expr->args.begin(), expr->args.end(),
                                 [](const ExprPtr& arg) { return arg->IsLiteral(); });
  if (!is_constant) return expr;
  auto batch = arrow::RecordBatch::Make(arrow::schema({}), 1, arrow::ArrayVector());
  auto value = Evaluate(*expr, *batch, arrow::default_memory_pool());
  // Fails again where a row needs it, if one does.
  return value.ok() ? MakeLiteral(*std::move(value), expr->at) : expr;
}

ExprPtr MakeAnd(const std::vector<ExprPtr>& args, SourceSpan at) {
  return MakeChain(ExprKind::kAnd, args, at);
}

ExprPtr MakeOr(const std::vector<ExprPtr>& args, SourceSpan at) {
  return MakeChain(ExprKind::kOr, args, at);
}

ExprPtr MakeNot(ExprPtr arg, SourceSpan at) {
  if (auto comparison = ComparisonOf(*arg)) {
    return MakeComparison(Negated(*comparison), arg->args[0], arg->args[1], at);
  }
  if (arg->IsCallOf("not")) return arg->args[0];
  if (arg->IsCallOf("is null")) return MakeIsNull(arg->args[0], true, at);
  if (arg->IsCallOf("is not null")) return MakeIsNull(arg->args[0], false, at);
  if (arg->kind == ExprKind::kAnd || arg->kind == ExprKind::kOr) {
    std::vector<ExprPtr> negated;
    negated.reserve(arg->args.size());
    for (const ExprPtr& operand : arg->args) negated.push_back(MakeNot(operand, operand->at));
    return arg->kind == ExprKind::kAnd ? MakeOr(negated, at) : MakeAnd(negated, at);
  }
  return BooleanCall("not", NotKernel(), {std::move(arg)}, at);
}

ExprPtr MakeComparison(Comparison comparison, ExprPtr left, ExprPtr right, SourceSpan at) {
  if (left->IsLiteral() && !right->IsLiteral()) {
    return MakeComparison(Swapped(comparison), std::move(right), std::move(left), at);
  }
  bool sees_nulls = comparison == Comparison::kDistinct || comparison == Comparison::kNotDistinct;
  if (sees_nulls && right->IsNullLiteral()) {
    return MakeIsNull(std::move(left), comparison == Comparison::kDistinct, at);
  }
  if (!sees_nulls && right->IsNullLiteral()) {
    auto null = arrow::MakeArrayOfNull(arrow::boolean(), 1);
    if (null.ok()) return MakeLiteral(*std::move(null), at);
  }
  if (ExprPtr years = CompareYears(comparison, left, right, at)) return years;
  Kernel kernel = ComparisonKernel(comparison, *left->type);
  if (kernel == nullptr) return nullptr;
  return BooleanCall(ComparisonName(comparison), kernel, {std::move(left), std::move(right)}, at);
}

ExprPtr MakeIsNull(ExprPtr arg, bool negated, SourceSpan at) {
  return BooleanCall(negated ? "is not null" : "is null", IsNullKernel(negated), {std::move(arg)},
                     at);
}

ExprPtr MakeIsBoolean(ExprPtr arg, bool wanted, bool negated, SourceSpan at) {
  std::string name = std::string(negated ? "is not " : "is ") + (wanted ? "true" : "false");
  return BooleanCall(name, IsBooleanKernel(wanted, negated), {std::move(arg)}, at);
}

}  // namespace lance::query
