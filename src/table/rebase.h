#pragma once

#include <cstdint>
#include <set>

#include "base/error.h"
#include "table/conflict_rules.h"
#include "table/transaction.h"

namespace lance {

/// Judges our transaction, made from an older version, against one that was committed meanwhile as
/// `their_version` (spec/table-format.md §7.5): OK to go on, or RetryableConflict (redo the
/// operation from the new version), or IncompatibleConflict. Pure.
///
/// Fragments in which both deleted rows, perhaps different ones, are added to `shared_fragments`:
/// their deletions have to be merged before ours can be committed.
Status CheckConflict(const RebaseSubject& ours, const Transaction& theirs, uint64_t their_version,
                     std::set<uint64_t>* shared_fragments);

}  // namespace lance
