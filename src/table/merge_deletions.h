#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/error.h"
#include "table/manifest.h"
#include "table/row_address_set.h"
#include "table/table_paths.h"
#include "table/transaction.h"

namespace lance {

/// Rebases a Delete or Update over others that deleted rows of the same fragments
/// (spec/table-format.md §7.6): the fragments' deletion files of `newest` and our rows are written
/// together as new files, or the fragment is removed when no row is left. RetryableConflict when a
/// row was deleted by both. Paths of files are added to `written`.
Status MergeDeletions(const Context& context, const TableLocation& table, const Manifest& newest,
                      const RowAddressSet& affected_rows, const std::set<uint64_t>& fragments,
                      Transaction* transaction, std::vector<std::string>* written);

}  // namespace lance
