#pragma once

#include <memory>

#include "dataset/snapshot.h"
#include "dataset/source_rows.h"
#include "lance/dataset.h"
#include "table/transaction.h"

namespace lance {

struct MergedRows {
  std::shared_ptr<const Snapshot> snapshot;
  MergeInsertStats stats;
};
struct UncommittedMerge {
  Transaction transaction;
  MergeInsertStats stats;
};

/// Brings the rows of a source into a table and commits it, once. RetryableConflict when another
/// writer has changed one of the rows, or inserted one of the keys.
Result<MergedRows> MergeInsertRows(const std::shared_ptr<const Snapshot>& snapshot,
                                   const SourceRows& source, const MergeInsertOptions& options);
/// Only writes the files, and keeps them.
Result<UncommittedMerge> MergeInsertUncommitted(const std::shared_ptr<const Snapshot>& snapshot,
                                                const SourceRows& source,
                                                const MergeInsertOptions& options);
/// Writes the files, and deletes them again.
Result<UncommittedMerge> TryMergeInsert(const std::shared_ptr<const Snapshot>& snapshot,
                                        const SourceRows& source,
                                        const MergeInsertOptions& options);

}  // namespace lance
