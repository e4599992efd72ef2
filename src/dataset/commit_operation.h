#pragma once

#include <memory>

#include "dataset/new_files.h"
#include "dataset/snapshot.h"
#include "table/commit.h"

namespace lance {

/// A transaction made from this version, without an operation yet.
Transaction BeginTransaction(const Snapshot& read);

/// Commits a transaction made from `read` and opens the version that it made. The files are kept
/// when it succeeds, or may have done so.
Result<std::shared_ptr<const Snapshot>> CommitOperation(const Snapshot& read,
                                                        Transaction transaction, NewFiles* files,
                                                        const CommitOptions& options = {});
/// Of an operation that writes no files.
Result<std::shared_ptr<const Snapshot>> CommitOperation(const Snapshot& read,
                                                        Transaction transaction);

}  // namespace lance
