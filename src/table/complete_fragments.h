#pragma once

#include "base/context.h"
#include "base/error.h"
#include "table/manifest.h"
#include "table/table_paths.h"

namespace lance {

/// Fills in what old or careless writers left out of the fragments of a version about to be
/// committed (spec/table-format.md §7.9): sizes of files, numbers of rows and of deleted rows; and
/// takes out fragments without a live row. Costs nothing when all of it is known.
Status CompleteFragments(const Context& context, const TableLocation& table, Manifest* manifest);

}  // namespace lance
