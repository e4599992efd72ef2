#include "query/expr/nullability.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "arrow/type.h"
#include "query/expr/kernel/value_set.h"

namespace lance::query {
namespace {

/// Calls that are null only where an argument is. The reference knows no more of them; others, such
/// as `lower`, it takes for nullable.
constexpr auto kStrictCalls = std::to_array<std::string_view>({"+",
                                                               "-",
                                                               "*",
                                                               "/",
                                                               "%",
                                                               "<<",
                                                               ">>",
                                                               "=",
                                                               "<>",
                                                               "<",
                                                               "<=",
                                                               ">",
                                                               ">=",
                                                               "is distinct from",
                                                               "is not distinct from",
                                                               "is true",
                                                               "is not true",
                                                               "is false",
                                                               "is not false",
                                                               "||",
                                                               "negative",
                                                               "not",
                                                               "like",
                                                               "cast",
                                                               "round",
                                                               "regexp_like",
                                                               "date_trunc",
                                                               "datetrunc",
                                                               "date_part",
                                                               "datepart",
                                                               "starts_with",
                                                               "strpos",
                                                               "instr"});

class Judge {
 public:
  explicit Judge(const arrow::Schema& schema) : schema_(schema) {}

  bool MayBeNull(const Expr& expr) {
    if (!expr.is_shared) return Decide(expr);
    auto known = shared_.find(&expr);
    if (known == shared_.end()) known = shared_.emplace(&expr, Decide(expr)).first;
    return known->second;
  }

 private:
  bool Decide(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kLiteral:
        return expr.IsNullLiteral();
      case ExprKind::kColumn:
        return ColumnMayBeNull(expr.column);
      case ExprKind::kIn:
        return expr.set->has_null() || MayBeNull(*expr.args[0]);
      case ExprKind::kCoalesce:
        return std::all_of(expr.args.begin(), expr.args.end(),
                           [&](const ExprPtr& arg) { return MayBeNull(*arg); });
      case ExprKind::kCase:
        return CaseMayBeNull(expr);
      case ExprKind::kAnd:
      case ExprKind::kOr:
        return AnyMayBeNull(expr);
      case ExprKind::kCall:
        break;
    }
    if (expr.name == "is null" || expr.name == "is not null") return false;
    const bool is_strict =
        std::find(kStrictCalls.begin(), kStrictCalls.end(), expr.name) != kStrictCalls.end();
    return !is_strict || AnyMayBeNull(expr);
  }

  bool AnyMayBeNull(const Expr& expr) {
    return std::any_of(expr.args.begin(), expr.args.end(),
                       [&](const ExprPtr& arg) { return MayBeNull(*arg); });
  }

  bool CaseMayBeNull(const Expr& expr) {
    const size_t count = expr.args.size();
    if (count % 2 == 0) return true;
    for (size_t i = 1; i < count; i += 2) {
      if (MayBeNull(*expr.args[i])) return true;
    }
    return MayBeNull(*expr.args.back());
  }

  bool ColumnMayBeNull(const ColumnPath& path) const {
    const auto* field = schema_.field(path.indexes[0]).get();
    for (size_t i = 1; i < path.indexes.size() && !field->nullable(); ++i) {
      field = field->type()->field(path.indexes[i]).get();
    }
    return field->nullable();
  }

  const arrow::Schema& schema_;
  std::map<const Expr*, bool> shared_;
};

}  // namespace

bool MayBeNull(const Expr& expr, const arrow::Schema& schema) {
  return Judge(schema).MayBeNull(expr);
}

}  // namespace lance::query
