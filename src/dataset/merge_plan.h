#pragma once

#include <string>

#include "dataset/merge_insert.h"

namespace lance {

/// What a merge-insert of a source with this schema would do, a step a line.
Result<std::string> ExplainMergeInsert(const Snapshot& snapshot, const arrow::Schema& source,
                                       const MergeInsertOptions& options);
/// Does it without committing, and tells what each step came to; its files are deleted again.
Result<std::string> AnalyzeMergeInsert(const std::shared_ptr<const Snapshot>& snapshot,
                                       const SourceRows& source, const MergeInsertOptions& options);

}  // namespace lance
