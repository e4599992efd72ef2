#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dataset/candidates.h"
#include "dataset/snapshot.h"
#include "encoding/row_range.h"

namespace lance {

/// A piece of a scan that is decoded at once: positions among the live rows of one fragment, or
/// among all, if the scan reads deleted ones.
struct Morsel {
  size_t fragment_index = 0;
  RowRange rows;
};

/// How large morsels are to be, in stored bytes and in rows.
struct MorselSize {
  uint64_t bytes = 0;
  uint64_t rows = 0;
};
/// For a scan whose result stays in memory anyway.
constexpr MorselSize kTableMorsels = {8ull << 20, 32 * 1024};
/// For a stream: what is read ahead is all the memory that it takes.
constexpr MorselSize kStreamMorsels = {1ull << 20, 16 * 1024};

/// Which rows a scan reads, in which order.
struct ScanRange {
  std::vector<size_t> fragments;  ///< indexes, in scan order
  uint64_t offset = 0;
  uint64_t limit = 0;
  uint64_t batch_size = 0;
  MorselSize morsel_size = kTableMorsels;
  /// Null: all rows of the fragments.
  std::shared_ptr<const Candidates> candidates;
};

/// Cuts a scan into morsels of the wanted size, each a whole number of batches where that fits.
/// Fragments before the offset are skipped by their counts; small ones are planned without being
/// opened. Not thread-safe.
class MorselPlanner {
 public:
  MorselPlanner(std::shared_ptr<const Snapshot> snapshot,
                std::shared_ptr<const ColumnSelection> selection,
                std::shared_ptr<const RowCounts> counts, ScanRange range);

  /// Leaves out the rows before a live position of the table. Before the first call of Next(), and
  /// only if the fragment that has it comes once.
  void StartAt(uint64_t position);
  /// The work of the next task: one morsel, or several small fragments. Empty at the end.
  Result<std::vector<Morsel>> Next(const Context& context);

 private:
  /// Rows left of the current fragment; moves on to a fragment that has some. 0 at the end.
  uint64_t RowsLeft();
  Morsel Take(uint64_t rows);
  /// How many of the rows left of the current fragment are read, at most.
  uint64_t RowsWanted(uint64_t left) const;
  uint64_t MorselRows(double bytes_per_row) const;

  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<const ColumnSelection> selection_;
  std::shared_ptr<const RowCounts> counts_;
  ScanRange range_;
  size_t next_fragment_ = 0;  // in range_.fragments
  uint64_t position_ = 0;     // in that fragment
};

}  // namespace lance
