#pragma once

#include <memory>
#include <vector>

#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// Renames columns, changes whether they may be null, and casts them. Only casts write data: the
/// column gets a new id, and each fragment a new file. A column that is to become non-nullable is
/// read for nulls first.
Result<std::shared_ptr<const Snapshot>> AlterColumns(
    std::shared_ptr<const Snapshot> snapshot, const std::vector<ColumnAlteration>& alterations);

}  // namespace lance
