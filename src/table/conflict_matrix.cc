#include "table/conflict_matrix.h"

namespace lance {

OperationKind KindOf(const Transaction& transaction) {
  switch (transaction.operation_case()) {
    case Transaction::kAppend:
      return OperationKind::kAppend;
    case Transaction::kDelete:
      return OperationKind::kDelete;
    case Transaction::kOverwrite:
      return OperationKind::kOverwrite;
    case Transaction::kCreateIndex:
      return OperationKind::kCreateIndex;
    case Transaction::kRewrite:
      return OperationKind::kRewrite;
    case Transaction::kMerge:
      return OperationKind::kMerge;
    case Transaction::kRestore:
      return OperationKind::kRestore;
    case Transaction::kReserveFragments:
      return OperationKind::kReserveFragments;
    case Transaction::kUpdate:
      return OperationKind::kUpdate;
    case Transaction::kProject:
      return OperationKind::kProject;
    case Transaction::kUpdateConfig:
      return OperationKind::kUpdateConfig;
    case Transaction::kDataReplacement:
      return OperationKind::kDataReplacement;
    case Transaction::kUpdateMemWalState:
      return OperationKind::kUpdateMemWalState;
    case Transaction::kClone:
      return OperationKind::kClone;
    case Transaction::kUpdateBases:
      return OperationKind::kUpdateBases;
    case Transaction::kDataOverlay:
      return OperationKind::kDataOverlay;
    case Transaction::OPERATION_NOT_SET:
      break;
  }
  return OperationKind::kUnknown;
}

}  // namespace lance
