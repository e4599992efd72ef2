#pragma once

#include <cstdint>

#include "base/error.h"
#include "table/transaction.h"

namespace lance {

/// Judges our transaction, made from an older version, against one that was committed meanwhile as
/// `their_version` (spec/table-format.md §7.5). Returns the transaction to go on with, or
/// RetryableConflict (redo the operation from the new version), or IncompatibleConflict. Pure.
///
/// Ours is an Append or an Overwrite; theirs may be anything, also of an unknown kind.
Result<Transaction> Rebase(Transaction ours, const Transaction& theirs, uint64_t their_version);

}  // namespace lance
