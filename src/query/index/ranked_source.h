#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/error.h"
#include "query/index/row_set.h"

namespace lance::query {

/// A row that a search found.
struct RankedRow {
  uint32_t fragment_id = 0;
  uint32_t offset = 0;
  /// Less is better: a distance, or the negative of a score.
  float distance = 0;
};

/// What distances depend on beside the row itself, summed over all sources of a query: those of a
/// text depend on how many rows have its words.
struct RankingStatistics {
  uint64_t rows = 0;
  uint64_t tokens = 0;
  std::map<std::string, uint64_t> rows_with_token = {};
};

/// Which rows a search may return.
struct RankedBounds {
  RowSet allowed = RowSet::All();
  /// Distances from `least` up to `most`, without it.
  float least = -std::numeric_limits<float>::infinity();
  float most = std::numeric_limits<float>::infinity();
};

/// A search under way. Not thread-safe.
class RankedSearch {
 public:
  virtual ~RankedSearch() = default;

  /// The next best `count` rows, best first; fewer only when there are no more. Distances are
  /// exact, whatever an index approximates them by.
  virtual Result<std::vector<RankedRow>> Next(const Context& context, uint64_t count) = 0;
};

/// One query against one segment of an index, or against rows that no index covers. Immutable,
/// thread-safe.
class RankedSource {
 public:
  virtual ~RankedSource() = default;

  /// Adds what this source contributes. Every source of a query is asked before any is searched.
  virtual Status AddStatistics(const Context& context, RankingStatistics* statistics) const = 0;
  /// `statistics` are those of all sources. The search keeps what it needs of its arguments, and
  /// must not outlive the source.
  virtual Result<std::unique_ptr<RankedSearch>> Start(const RankingStatistics& statistics,
                                                      RankedBounds bounds) const = 0;
};

}  // namespace lance::query
