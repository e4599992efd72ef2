#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/open_table.h"
#include "safety/model_table.h"

namespace lance::safety {

/// What a version holds, but for the order of its rows, their ids, addresses and versions.
struct Contents {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<int64_t>>> rows;  ///< sorted
  std::map<std::string, std::string> config;

  bool operator==(const Contents&) const = default;
  std::string ToText() const;
};

Contents ContentsOf(const ModelVersion& version);
Result<Contents> ContentsOf(const std::shared_ptr<const Snapshot>& snapshot);

/// Whether all versions can be opened and read.
Status CheckEveryVersion(const TableLocation& table);
/// Deletes all but the newest version (and tagged ones) and whatever no version uses; then checks
/// that nothing else is left in the table's folders.
Status CheckLeftovers(const TableLocation& table);

}  // namespace lance::safety
