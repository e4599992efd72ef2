#include "query/expr/evaluate.h"

#include "arrow/array.h"
#include "arrow/array/concatenate.h"
#include "arrow/record_batch.h"
#include "arrow/scalar.h"
#include "base/stack.h"
#include "query/expr/frame.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/logic.h"
#include "query/expr/kernel/utf8.h"
#include "query/expr/kernel/value_set.h"

namespace lance::query {
namespace {

using arrow::Array;

/// Below this share of undecided rows it pays to pick them out.
constexpr int64_t kNarrowShare = 4;

/// Computes an expression on the rows of a frame.
Result<Operand> Compute(const Expr& expr, Frame* frame);

Result<Operand> ComputeCall(const Expr& expr, Frame* frame) {
  std::vector<Operand> args;
  args.reserve(expr.args.size());
  bool all_constant = true;
  for (const ExprPtr& arg : expr.args) {
    ARROW_ASSIGN_OR_RAISE(Operand operand, Compute(*arg, frame));
    all_constant = all_constant && operand.is_constant;
    args.push_back(std::move(operand));
  }
  CallContext context{frame->pool(), expr.type};
  auto result = expr.kernel(context, args, all_constant ? 1 : frame->rows());
  if (result.ok()) return Operand{*std::move(result), all_constant};
  if (expr.text != nullptr) {
    return Source(*expr.text).ErrorAt(expr.at, result.status().message());
  }
  constexpr size_t kShown = 80;
  return UserError(result.status().message(), ", in: ", Shortened(ToSql(expr), kShown));
}

Result<Truth> ComputeTruth(const Expr& expr, Frame* frame) {
  ARROW_ASSIGN_OR_RAISE(Operand operand, Compute(expr, frame));
  return Truth::Of(operand, frame->rows());
}

/// AND and OR. With `is_filter`, what is unknown counts as false from the start.
Result<Truth> ComputeChain(const Expr& expr, Frame* frame, bool is_filter) {
  const bool is_and = expr.kind == ExprKind::kAnd;
  Truth truth(frame->rows(), is_and);
  for (const ExprPtr& arg : expr.args) {
    int64_t decided = is_and ? truth.CountFalse() : truth.CountTrue();
    int64_t undecided = frame->rows() - decided;
    if (undecided == 0) break;
    bool narrow = decided > 0 && (arg->can_fail || undecided * kNarrowShare < frame->rows());
    std::vector<int64_t> rows;
    if (narrow) rows = is_and ? truth.NotFalseRows() : truth.NotTrueRows();
    Frame narrowed(frame, &rows);
    ARROW_ASSIGN_OR_RAISE(Truth next, ComputeTruth(*arg, narrow ? &narrowed : frame));
    const std::vector<int64_t>* at = narrow ? &rows : nullptr;
    is_and ? truth.And(next, at) : truth.Or(next, at);
    if (is_filter && is_and) truth.UnknownIsFalse();
  }
  return truth;
}

/// Puts together values that were computed for different rows.
class Pieces {
 public:
  explicit Pieces(int64_t rows) : source_(static_cast<size_t>(rows)) {}

  /// `values` are those of `rows`.
  void Add(const Operand& values, const std::vector<int64_t>& rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      int64_t at = values.IndexOf(static_cast<int64_t>(i));
      source_[static_cast<size_t>(rows[i])] = length_ + at;
    }
    length_ += values.array->length();
    arrays_.push_back(values.array);
  }

  Result<Operand> Finish(arrow::MemoryPool* pool) const {
    if (arrays_.size() == 1 && arrays_[0]->length() == static_cast<int64_t>(source_.size())) {
      return Operand{arrays_[0], false};
    }
    ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate(arrays_, pool));
    ARROW_ASSIGN_OR_RAISE(auto gathered, Gather(pool, all, source_));
    return Operand{std::move(gathered), false};
  }

 private:
  std::vector<std::shared_ptr<Array>> arrays_;
  int64_t length_ = 0;
  std::vector<int64_t> source_;
};

std::vector<int64_t> AllRows(int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int64_t>(i);
  return rows;
}

/// The elements of `rows` at the given positions.
std::vector<int64_t> Pick(const std::vector<int64_t>& rows, const std::vector<int64_t>& at) {
  std::vector<int64_t> picked;
  picked.reserve(at.size());
  for (int64_t i : at) picked.push_back(rows[static_cast<size_t>(i)]);
  return picked;
}

Result<Operand> NullOperand(const Expr& expr, Frame* frame) {
  ARROW_ASSIGN_OR_RAISE(auto null, arrow::MakeArrayOfNull(expr.type, 1, frame->pool()));
  return Operand{std::move(null), true};
}

/// Computes a branch for some rows of the frame and adds the values.
Status AddBranch(const Expr& branch, Frame* frame, const std::vector<int64_t>& rows,
                 Pieces* pieces) {
  if (rows.empty()) return Status::OK();
  Frame narrowed(frame, &rows);
  ARROW_ASSIGN_OR_RAISE(Operand values, Compute(branch, &narrowed));
  pieces->Add(values, rows);
  return Status::OK();
}

Result<Operand> ComputeCase(const Expr& expr, Frame* frame) {
  Pieces pieces(frame->rows());
  std::vector<int64_t> left = AllRows(frame->rows());
  size_t pairs = expr.args.size() / 2;
  for (size_t i = 0; i < pairs && !left.empty(); ++i) {
    Frame narrowed(frame, &left);
    bool is_first = i == 0;
    ARROW_ASSIGN_OR_RAISE(Truth condition,
                          ComputeTruth(*expr.args[2 * i], is_first ? frame : &narrowed));
    std::vector<int64_t> taken = Pick(left, condition.TrueRows());
    left = Pick(left, condition.NotTrueRows());
    ARROW_RETURN_NOT_OK(AddBranch(*expr.args[2 * i + 1], frame, taken, &pieces));
  }
  if (expr.args.size() % 2 == 1) {
    ARROW_RETURN_NOT_OK(AddBranch(*expr.args.back(), frame, left, &pieces));
  } else {
    ARROW_ASSIGN_OR_RAISE(Operand null, NullOperand(expr, frame));
    pieces.Add(null, left);
  }
  return pieces.Finish(frame->pool());
}

Result<Operand> ComputeCoalesce(const Expr& expr, Frame* frame) {
  ARROW_ASSIGN_OR_RAISE(Operand first, Compute(*expr.args[0], frame));
  if (first.array->null_count() == 0) return first;
  Pieces pieces(frame->rows());
  std::vector<int64_t> all = AllRows(frame->rows());
  pieces.Add(first, all);
  std::vector<int64_t> left;
  for (int64_t row : all) {
    if (first.array->IsNull(first.IndexOf(row))) left.push_back(row);
  }
  for (size_t i = 1; i < expr.args.size() && !left.empty(); ++i) {
    Frame narrowed(frame, &left);
    ARROW_ASSIGN_OR_RAISE(Operand values, Compute(*expr.args[i], &narrowed));
    pieces.Add(values, left);
    std::vector<int64_t> still;
    for (size_t k = 0; k < left.size(); ++k) {
      if (values.array->IsNull(values.IndexOf(static_cast<int64_t>(k)))) still.push_back(left[k]);
    }
    left = std::move(still);
  }
  return pieces.Finish(frame->pool());
}

Result<Operand> ComputeIn(const Expr& expr, Frame* frame) {
  ARROW_ASSIGN_OR_RAISE(Operand operand, Compute(*expr.args[0], frame));
  int64_t rows = operand.is_constant ? 1 : frame->rows();
  ARROW_ASSIGN_OR_RAISE(auto result, expr.set->Contains(frame->pool(), operand, rows));
  return Operand{std::move(result), operand.is_constant};
}

Result<Operand> ComputeNode(const Expr& expr, Frame* frame) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return Operand{expr.value, true};
    case ExprKind::kColumn: {
      ARROW_ASSIGN_OR_RAISE(auto column, frame->Column(expr.column));
      return Operand{std::move(column), false};
    }
    case ExprKind::kCall:
      return ComputeCall(expr, frame);
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      ARROW_ASSIGN_OR_RAISE(Truth truth, ComputeChain(expr, frame, /*is_filter=*/false));
      ARROW_ASSIGN_OR_RAISE(auto array, truth.ToArray(frame->pool()));
      return Operand{std::move(array), false};
    }
    case ExprKind::kCase:
      return ComputeCase(expr, frame);
    case ExprKind::kCoalesce:
      return ComputeCoalesce(expr, frame);
    case ExprKind::kIn:
      return ComputeIn(expr, frame);
  }
  return UserError("an expression of unknown kind");
}

Result<Operand> Compute(const Expr& expr, Frame* frame) {
  if (StackIsShort())
    return UserError("an expression is nested too deep for the stack of a thread");
  if (!expr.is_shared) return ComputeNode(expr, frame);
  ARROW_ASSIGN_OR_RAISE(auto kept, frame->Kept(expr));
  if (kept) return *std::move(kept);
  ARROW_ASSIGN_OR_RAISE(Operand values, ComputeNode(expr, frame));
  frame->Keep(expr, values);
  return values;
}

}  // namespace

Result<std::shared_ptr<Array>> Evaluate(const Expr& expr, const arrow::RecordBatch& batch,
                                        arrow::MemoryPool* pool) {
  // Arrays of no rows need not have buffers, which kernels expect.
  if (batch.num_rows() == 0) return arrow::MakeEmptyArray(expr.type, pool);
  Frame frame(batch, pool);
  ARROW_ASSIGN_OR_RAISE(Operand operand, Compute(expr, &frame));
  if (!operand.is_constant) return operand.array;
  ARROW_ASSIGN_OR_RAISE(auto value, operand.array->GetScalar(0));
  return arrow::MakeArrayFromScalar(*value, batch.num_rows(), pool);
}

Result<std::vector<int64_t>> MatchingRows(const Expr& filter, const arrow::RecordBatch& batch,
                                          arrow::MemoryPool* pool) {
  if (batch.num_rows() == 0) return std::vector<int64_t>();
  Frame frame(batch, pool);
  if (filter.kind == ExprKind::kAnd) {
    ARROW_ASSIGN_OR_RAISE(Truth truth, ComputeChain(filter, &frame, /*is_filter=*/true));
    return truth.TrueRows();
  }
  ARROW_ASSIGN_OR_RAISE(Truth truth, ComputeTruth(filter, &frame));
  return truth.TrueRows();
}

}  // namespace lance::query
