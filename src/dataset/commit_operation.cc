#include "dataset/commit_operation.h"

#include "dataset/auto_cleanup.h"
#include "dataset/open_table.h"
#include "table/unique_names.h"

namespace lance {

Transaction BeginTransaction(const Snapshot& read) {
  Transaction transaction;
  transaction.set_read_version(read.manifest().version());
  transaction.set_uuid(MakeUuid());
  return transaction;
}

Result<std::shared_ptr<const Snapshot>> CommitOperation(const Snapshot& read,
                                                        Transaction transaction, NewFiles* files,
                                                        const CommitOptions& options) {
  Context context = read.MakeContext();
  auto committed =
      CommitTransaction(context, read.table(), read.file(), std::move(transaction), options);
  if (committed.ok() || GetErrorCode(committed.status()) == ErrorCode::kCommitUnknown) {
    files->Keep();
  }
  ARROW_RETURN_NOT_OK(committed.status());
  ARROW_ASSIGN_OR_RAISE(auto snapshot, HandleOf(read).Open(*std::move(committed)));
  CleanUpAfterCommit(*snapshot);
  return snapshot;
}

Result<std::shared_ptr<const Snapshot>> CommitOperation(const Snapshot& read,
                                                        Transaction transaction) {
  NewFiles none(read.MakeContext());
  return CommitOperation(read, std::move(transaction), &none);
}

}  // namespace lance
