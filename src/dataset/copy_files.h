#pragma once

#include "dataset/new_files.h"
#include "dataset/snapshot.h"
#include "table/table_paths.h"

namespace lance {

/// Copies every file that a version uses (data, blobs beside it, deletions, indexes) to the same
/// place in another table.
Status CopyFiles(const Snapshot& source, const TableLocation& target, NewFiles* files);

}  // namespace lance
