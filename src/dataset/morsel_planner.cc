#include "dataset/morsel_planner.h"

#include <algorithm>

#include "table/row_words.h"

namespace lance {
namespace {

// Small fragments are put together up to one of these, so that a task is worth its thread hop.
constexpr uint64_t kGroupRows = 8192;
constexpr uint64_t kGroupBytes = 1 << 20;
constexpr size_t kGroupMorsels = 16;
/// If one row in so many is wanted, or fewer, the size of their fragment does not matter.
constexpr uint64_t kSparseShare = 16;
/// A batch as large as the caller wants is kept whole up to this.
constexpr uint64_t kMaxBatchBytes = 64ull << 20;

}  // namespace

MorselPlanner::MorselPlanner(std::shared_ptr<const Snapshot> snapshot,
                             std::shared_ptr<const ColumnSelection> selection,
                             std::shared_ptr<const RowCounts> counts, ScanRange range)
    : snapshot_(std::move(snapshot)),
      selection_(std::move(selection)),
      counts_(std::move(counts)),
      range_(std::move(range)) {}

void MorselPlanner::StartAt(uint64_t position) {
  const size_t fragment = counts_->FragmentAt(position);
  const auto& fragments = range_.fragments;
  const auto found = std::find(fragments.begin(), fragments.end(), fragment);
  next_fragment_ = static_cast<size_t>(found - fragments.begin());
  position_ = position - counts_->starts[fragment];
}

uint64_t MorselPlanner::RowsLeft() {
  while (range_.limit > 0 && next_fragment_ < range_.fragments.size()) {
    uint64_t rows = counts_->of_fragment(range_.fragments[next_fragment_]);
    uint64_t skipped = std::min(range_.offset, rows - position_);
    position_ += skipped;
    range_.offset -= skipped;
    if (position_ < rows) return std::min(rows - position_, range_.limit);
    ++next_fragment_;
    position_ = 0;
  }
  return 0;
}

Morsel MorselPlanner::Take(uint64_t rows) {
  Morsel morsel{range_.fragments[next_fragment_], {position_, rows}};
  position_ += rows;
  range_.limit -= rows;
  return morsel;
}

uint64_t MorselPlanner::RowsWanted(uint64_t left) const {
  if (range_.candidates == nullptr) return left;
  const uint64_t id = snapshot_->fragments()[range_.fragments[next_fragment_]].id;
  const query::OffsetSet* wanted = range_.candidates->Of(id);
  return wanted == nullptr ? left : std::min(left, wanted->CountBelow(kMaxFragmentRows));
}

uint64_t MorselPlanner::MorselRows(double bytes_per_row) const {
  double per_row = std::max(bytes_per_row, 1.0 / 1024);
  auto rows_within = [&](uint64_t bytes) {
    return static_cast<uint64_t>(static_cast<double>(bytes) / per_row);
  };
  uint64_t rows =
      std::clamp<uint64_t>(rows_within(range_.morsel_size.bytes), 1, range_.morsel_size.rows);
  if (range_.batch_size <= rows) return rows / range_.batch_size * range_.batch_size;
  return std::clamp(range_.batch_size, rows, std::max(rows, rows_within(kMaxBatchBytes)));
}

Result<std::vector<Morsel>> MorselPlanner::Next(const Context& context) {
  std::vector<Morsel> group;
  uint64_t group_rows = 0;
  uint64_t group_bytes = 0;
  while (uint64_t left = RowsLeft()) {
    size_t index = range_.fragments[next_fragment_];
    const FragmentSummary& fragment = snapshot_->fragments()[index];
    const uint64_t wanted = RowsWanted(left);
    const bool is_sparse = wanted * kSparseShare <= left;
    bool small = wanted <= range_.morsel_size.rows &&
                 (is_sparse ||
                  (fragment.has_all_file_sizes && fragment.data_bytes <= range_.morsel_size.bytes));
    if (!small) {
      if (!group.empty()) return group;
      ARROW_ASSIGN_OR_RAISE(auto reader, snapshot_->OpenFragment(context, selection_, index));
      group.push_back(Take(std::min(left, MorselRows(reader->bytes_per_row()))));
      return group;
    }
    group.push_back(Take(left));
    group_rows += wanted;
    if (!is_sparse) group_bytes += fragment.data_bytes;
    if (group_rows >= kGroupRows || group_bytes >= kGroupBytes || group.size() >= kGroupMorsels) {
      return group;
    }
  }
  return group;
}

}  // namespace lance
