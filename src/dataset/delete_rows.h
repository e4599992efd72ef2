#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dataset/new_files.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"
#include "table/row_address_set.h"

namespace lance {

/// Deletes rows by their addresses; rows that are deleted already don't count. `predicate` is what
/// selected them, for the transaction. A version is committed even if there are no rows.
/// RetryableConflict when another writer has changed one of the rows: select them anew.
Result<std::shared_ptr<const Snapshot>> DeleteRows(const Snapshot& snapshot,
                                                   std::shared_ptr<const RowAddressSet> rows,
                                                   const std::string& predicate,
                                                   const Poll& poll = {});
/// Deletes all rows, without reading any.
Result<std::shared_ptr<const Snapshot>> DeleteAllRows(const Snapshot& snapshot);

/// A fragment with these offsets deleted as well; nothing when no row is left.
Result<std::optional<table::DataFragment>> DeleteOffsets(const Snapshot& snapshot,
                                                         uint64_t fragment_id,
                                                         const RoaringBitmap& offsets,
                                                         NewFiles* files);

/// What a set of deleted rows makes of the fragments of a version.
struct FragmentDeletions {
  std::vector<table::DataFragment> updated;
  std::vector<uint64_t> removed;
};
Result<FragmentDeletions> DeleteFromFragments(const Snapshot& snapshot, const RowAddressSet& rows,
                                              NewFiles* files, const Poll& poll);

}  // namespace lance
