#pragma once

#include <span>
#include <string>
#include <vector>

#include "lance/dataset.h"
#include "table/base_paths.h"
#include "table/table_paths.h"

namespace lance {

/// The folders that the data files of a write go to, in turn. A target that is none of the bases is
/// a user error.
Result<std::vector<DataFolder>> ChooseFolders(const std::string& uri, const TableLocation& table,
                                              const BasePaths& bases, const WriteTargets& targets);

/// As manifests list them, without ids for those that have none. Relative paths become absolute:
/// readers would take them from where they happen to run.
Result<BasePaths> ToBasePaths(std::span<const BasePathInfo> infos);

}  // namespace lance
