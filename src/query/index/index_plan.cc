#include "query/index/index_plan.h"

#include <map>
#include <optional>
#include <utility>

#include "query/expr/predicates.h"

namespace lance::query {
namespace {

using SearchPtr = std::shared_ptr<const IndexSearch>;

/// Part of a filter: what indexes answer of it, and what is left.
struct Part {
  SearchPtr search;
  ExprPtr rest;
  /// The answer will be exact, and can be negated.
  bool is_exact = true;
};

SearchPtr Combine(IndexSearch::Kind kind, std::vector<SearchPtr> args) {
  if (args.size() == 1 && kind != IndexSearch::Kind::kNot) return args[0];
  return std::make_shared<IndexSearch>(IndexSearch{.kind = kind, .args = std::move(args)});
}

class Planner {
 public:
  explicit Planner(std::span<const IndexPtr> indexes) : indexes_(indexes) {}

  Part Plan(const ExprPtr& expr) const {
    if (auto part = Offered(expr)) return *std::move(part);
    if (expr->kind == ExprKind::kAnd) return PlanAnd(*expr);
    if (expr->kind == ExprKind::kOr) return PlanOr(expr);
    if (expr->IsCallOf("not")) return PlanNot(expr);
    return {nullptr, expr};
  }

 private:
  /// The cheapest index that takes the whole expression.
  std::optional<Part> Offered(const ExprPtr& expr) const {
    std::optional<Part> best;
    double least = 0;
    for (const IndexPtr& index : indexes_) {
      auto offer = index->Accepts(*expr);
      if (!offer || (best && offer->cost >= least)) continue;
      least = offer->cost;
      auto search = std::make_shared<IndexSearch>(IndexSearch{.index = index, .condition = expr});
      best = Part{std::move(search), nullptr, offer->is_exact};
    }
    return best;
  }

  /// The operands of an AND in their order. Those on one column become one if an index takes them
  /// together: a range is one search.
  std::vector<ExprPtr> GroupedByColumn(const Expr& expr) const {
    std::map<ColumnPath, std::vector<ExprPtr>> by_column;
    for (const ExprPtr& arg : expr.args) {
      auto columns = ReferencedColumns(*arg);
      if (columns.size() == 1) by_column[columns[0]].push_back(arg);
    }
    std::map<const Expr*, ExprPtr> replaced;  // all but the first of a group by null
    for (const auto& [column, conditions] : by_column) {
      if (conditions.size() == 1) continue;
      ExprPtr together = MakeAnd(conditions, conditions[0]->at);
      if (!Offered(together)) continue;
      for (const ExprPtr& condition : conditions) replaced[condition.get()] = nullptr;
      replaced[conditions[0].get()] = std::move(together);
    }
    std::vector<ExprPtr> grouped;
    for (const ExprPtr& arg : expr.args) {
      auto found = replaced.find(arg.get());
      if (found == replaced.end()) {
        grouped.push_back(arg);
      } else if (found->second != nullptr) {
        grouped.push_back(std::move(found->second));
        found->second = nullptr;
      }
    }
    return grouped;
  }

  Part PlanAnd(const Expr& expr) const {
    Part whole;
    std::vector<SearchPtr> searches;
    std::vector<ExprPtr> rest;
    for (const ExprPtr& arg : GroupedByColumn(expr)) {
      Part part = Plan(arg);
      if (part.rest != nullptr) rest.push_back(std::move(part.rest));
      if (part.search == nullptr) continue;
      searches.push_back(std::move(part.search));
      whole.is_exact = whole.is_exact && part.is_exact;
    }
    if (!searches.empty()) whole.search = Combine(IndexSearch::Kind::kAnd, std::move(searches));
    if (!rest.empty()) whole.rest = MakeAnd(rest, expr.at);
    return whole;
  }

  /// A row may pass by any operand: all of them have to be answered whole.
  Part PlanOr(const ExprPtr& expr) const {
    Part whole;
    std::vector<SearchPtr> searches;
    for (const ExprPtr& arg : expr->args) {
      Part part = Plan(arg);
      if (part.search == nullptr || part.rest != nullptr) return {nullptr, expr};
      searches.push_back(std::move(part.search));
      whole.is_exact = whole.is_exact && part.is_exact;
    }
    whole.search = Combine(IndexSearch::Kind::kOr, std::move(searches));
    return whole;
  }

  Part PlanNot(const ExprPtr& expr) const {
    Part part = Plan(expr->args[0]);
    if (part.search == nullptr || part.rest != nullptr || !part.is_exact) return {nullptr, expr};
    return {Combine(IndexSearch::Kind::kNot, {std::move(part.search)}), nullptr};
  }

  std::span<const IndexPtr> indexes_;
};

}  // namespace

Result<IndexAnswer> IndexSearch::Run(const Context& context) const {
  if (kind == Kind::kIndex) return index->Search(context, *condition);
  ARROW_ASSIGN_OR_RAISE(IndexAnswer answer, args[0]->Run(context));
  if (kind == Kind::kNot) return answer.Not();
  for (size_t i = 1; i < args.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(IndexAnswer next, args[i]->Run(context));
    answer = kind == Kind::kAnd ? And(answer, next) : Or(answer, next);
  }
  return answer;
}

RoaringBitmap IndexSearch::Coverage() const {
  if (kind == Kind::kIndex) return index->coverage();
  RoaringBitmap fragments = args[0]->Coverage();
  for (size_t i = 1; i < args.size(); ++i) fragments &= args[i]->Coverage();
  return fragments;
}

std::string IndexSearch::ToText() const {
  if (kind == Kind::kIndex) return std::string(index->name()) + "(" + ToSql(*condition) + ")";
  if (kind == Kind::kNot) return "NOT " + args[0]->ToText();
  std::string text;
  for (const auto& arg : args) {
    if (!text.empty()) text += kind == Kind::kAnd ? " AND " : " OR ";
    text += arg->ToText();
  }
  return "(" + text + ")";
}

IndexPlan PlanIndexes(const ExprPtr& filter, std::span<const IndexPtr> indexes) {
  if (indexes.empty()) return {nullptr, filter, false};
  Part part = Planner(indexes).Plan(filter);
  return {std::move(part.search), std::move(part.rest), part.is_exact};
}

}  // namespace lance::query
