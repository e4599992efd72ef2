#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataset/key_index.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// A row of the table and one of the source that have the same key.
struct RowMatch {
  uint64_t position = 0;  ///< among the live rows of the table
  uint64_t address = 0;
  uint32_t source_row = 0;
};

struct RowMatches {
  std::vector<RowMatch> pairs;  ///< by position
  /// By row of the source: whether the table has a row with its key.
  std::vector<bool> is_matched;
};

/// Looks each live row of the table up among the rows of the source; reads only the columns of the
/// key.
Result<RowMatches> MatchRows(std::shared_ptr<const Snapshot> snapshot,
                             const std::vector<std::string>& key, const KeyIndex& source,
                             const Poll& poll);

}  // namespace lance
