#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// What Dataset::semantic_schema() says.
Result<std::vector<SemanticField>> DescribeSemantics(const Schema& schema);

/// One commit that gives a table semantic types; no data is written. Nothing happens to a table
/// that has them.
Result<std::shared_ptr<const Snapshot>> UpgradeSemanticTypes(
    const std::shared_ptr<const Snapshot>& snapshot);

/// Sets the output encoding of a field, by its path; nothing: the default of its type.
Result<std::shared_ptr<const Snapshot>> SetOutputEncoding(
    const Snapshot& snapshot, const std::string& path, const std::optional<std::string>& encoding);

}  // namespace lance
