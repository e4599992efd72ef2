#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dataset/open_table.h"

namespace lance {

/// What a clone is called where it comes from.
struct CloneNames {
  /// The tag or branch that was cloned, if it was asked for by name.
  std::optional<std::string> ref_name = {};
  /// The branch that the clone is to be.
  std::optional<std::string> branch_name = {};
};

/// A new table (or branch) at `target` whose first version is this one, with the files of this
/// table: it must not be cleaned up or dropped as long as the clone lives.
Result<std::shared_ptr<const Snapshot>> ShallowClone(const Snapshot& source,
                                                     const TableHandle& target,
                                                     const CloneNames& names);
/// A new table at `target` whose first version is this one, with copies of all its files.
Result<std::shared_ptr<const Snapshot>> DeepClone(const Snapshot& source,
                                                  const TableHandle& target);

}  // namespace lance
