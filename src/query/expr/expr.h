#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "query/expr/kernel/operand.h"
#include "query/expr/literal.h"
#include "query/expr/source.h"

namespace lance::query {

/// Where a column is: the index of a top-level field, then of members of structs.
struct ColumnPath {
  std::vector<int> indexes;

  auto operator<=>(const ColumnPath&) const = default;
};

enum class ExprKind : uint8_t {
  kLiteral,   ///< value
  kColumn,    ///< column
  kCall,      ///< function of args; all of them are evaluated first
  kAnd,       ///< three-valued; left to right, until the result is known
  kOr,        ///< the same
  kCase,      ///< pairs of condition and value, then the value of ELSE if the count is odd
  kCoalesce,  ///< the first of args that is not null; later ones are only evaluated where needed
  kIn,        ///< args[0] is one of `set`
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;
class ValueSet;

/// A typed expression over the columns of a schema. Immutable and shared; no deeper than kMaxDepth.
struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  std::shared_ptr<arrow::DataType> type;
  SourceSpan at{};
  std::vector<ExprPtr> args{};

  LiteralValue value{};                   ///< kLiteral
  ColumnPath column{};                    ///< kColumn
  std::string name{};                     ///< kColumn: its path; kCall: the function
  Kernel kernel = nullptr;                ///< kCall
  std::shared_ptr<const ValueSet> set{};  ///< kIn
  /// Evaluating it on some values is an error (division by zero, a bad cast): it is then only
  /// evaluated for the rows whose result it decides.
  bool can_fail = false;
  /// Used at several places of the expression: computed once for the rows that need it.
  bool is_shared = false;
  uint32_t depth = 1;
  /// What `at` points into: of calls that can fail and were written as text.
  std::shared_ptr<const std::string> text{};

  bool IsLiteral() const { return kind == ExprKind::kLiteral; }
  /// A literal that is null.
  bool IsNullLiteral() const;
  /// A literal that is true (or false).
  bool IsBooleanLiteral(bool wanted) const;
  bool IsCallOf(std::string_view function) const {
    return kind == ExprKind::kCall && name == function;
  }
};

ExprPtr MakeLiteral(LiteralValue value, SourceSpan at);
ExprPtr MakeColumn(std::shared_ptr<arrow::DataType> type, ColumnPath column, std::string name,
                   SourceSpan at);
/// All other kinds: depth and can_fail come from `args` too.
ExprPtr MakeExpr(Expr expr);

/// The same, to be used at several places.
ExprPtr MakeShared(const ExprPtr& expr);

/// The same expression; where computing it fails, the error says where in `text` that is.
ExprPtr WithText(const ExprPtr& expr, std::string_view text);

/// Casts to `type`; the expression itself if it has that type.
ExprPtr MakeCast(ExprPtr expr, std::shared_ptr<arrow::DataType> type);

/// SQL that means the same. Types that SQL can't name appear as arrow_cast. What is shared is
/// written at each place; where that would be endless, ellipses take the place of parts.
std::string ToSql(const Expr& expr);

/// The operands of a top-level AND, or the expression itself.
std::vector<ExprPtr> Conjuncts(const ExprPtr& expr);
/// The same expression over another schema, in which each column has another place.
ExprPtr MoveColumns(const ExprPtr& expr,
                    const std::function<ColumnPath(const ColumnPath&)>& place_of);
/// Each column that the expression reads, once, in order of their paths.
std::vector<ColumnPath> ReferencedColumns(const Expr& expr);

}  // namespace lance::query
