#include "table/rebase.h"

#include "table/conflict_matrix.h"

namespace lance {
namespace {

Result<Verdict> Judge(const RebaseSubject& ours, const Transaction& theirs,
                      std::set<uint64_t>* shared_fragments) {
  OperationKind mine = KindOf(ours.transaction);
  OperationKind other = KindOf(theirs);
  if (mine == OperationKind::kUnknown || other == OperationKind::kUnknown) {
    return Verdict::kIncompatible;
  }
  Verdict before = JudgeBeforeMatrix(ours.transaction, theirs);
  if (before != Verdict::kCompatible) return before;
  for (auto judge : {JudgeAppendedColumns, JudgeAddedRows}) {
    Verdict verdict = judge(ours, theirs);
    if (verdict != Verdict::kCompatible) return verdict;
  }
  std::string_view cell = kConflictMatrix[static_cast<size_t>(mine)][static_cast<size_t>(other)];
  return JudgeCell(cell, ours, theirs, shared_fragments);
}

}  // namespace

Status CheckConflict(const RebaseSubject& ours, const Transaction& theirs, uint64_t their_version,
                     std::set<uint64_t>* shared_fragments) {
  ARROW_ASSIGN_OR_RAISE(Verdict verdict, Judge(ours, theirs, shared_fragments));
  switch (verdict) {
    case Verdict::kCompatible:
      return Status::OK();
    case Verdict::kRetry:
      return MakeError(ErrorCode::kRetryableConflict,
                       internal::Concat("this ", OperationName(ours.transaction),
                                        " was preempted by a concurrent ", OperationName(theirs),
                                        " at version ", their_version, "; please retry"));
    case Verdict::kIncompatible:
      break;
  }
  return MakeError(ErrorCode::kIncompatibleConflict,
                   internal::Concat("this ", OperationName(ours.transaction),
                                    " is incompatible with a concurrent ", OperationName(theirs),
                                    " at version ", their_version));
}

}  // namespace lance
