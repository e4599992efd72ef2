#include "dataset/restore.h"

#include "dataset/commit_operation.h"
#include "dataset/open_table.h"

namespace lance {

Result<std::shared_ptr<const Snapshot>> RestoreVersion(const Snapshot& snapshot) {
  // Whatever was committed since this version is what the restore undoes, not what it conflicts
  // with.
  ARROW_ASSIGN_OR_RAISE(auto newest, HandleOf(snapshot).OpenNewest());
  Transaction transaction = BeginTransaction(*newest);
  transaction.mutable_restore()->set_version(snapshot.manifest().version());
  return CommitOperation(*newest, std::move(transaction));
}

}  // namespace lance
