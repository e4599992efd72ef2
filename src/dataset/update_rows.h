#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "dataset/row_rewrite.h"
#include "dataset/snapshot.h"

namespace lance {

struct UpdatedRows {
  std::shared_ptr<const Snapshot> snapshot;
  uint64_t count = 0;
};

/// Sets columns (by name) to the values of SQL expressions over the old row, in all rows or where a
/// condition holds: these rows are written anew, and deleted where they were. Values are cast to
/// the type of the column.
Result<UpdatedRows> UpdateRows(std::shared_ptr<const Snapshot> snapshot,
                               const std::map<std::string, std::string>& updates,
                               const std::optional<std::string>& where,
                               const RowRewriteOptions& options);

/// Whether the columns are there and the expressions can be computed.
Status CheckUpdates(const Snapshot& snapshot, const std::map<std::string, std::string>& updates);

}  // namespace lance
