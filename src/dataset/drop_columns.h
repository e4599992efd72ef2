#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataset/snapshot.h"

namespace lance {

/// Takes columns (paths) out of the schema; the data stays in its files. A struct whose last member
/// goes, goes too. Unknown columns, and all columns, are user errors.
Result<std::shared_ptr<const Snapshot>> DropColumns(const Snapshot& snapshot,
                                                    const std::vector<std::string>& paths);

}  // namespace lance
