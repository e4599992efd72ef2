#include "encoding/write/empty_stretches.h"

#include "encoding/write/level_encoder.h"

namespace lance::encoding {
namespace {

/// So many rows take more bits as levels among others than a page takes to describe.
constexpr uint64_t kMinStretch = 16384;

// The stretches of at least kMinStretch rows without values.
std::vector<RowRange> FindStretches(const ShreddedRows& rows) {
  std::vector<RowRange> stretches;
  uint64_t row = 0;
  uint64_t start = 0;
  auto close = [&] {
    if (row - start >= kMinStretch) stretches.push_back({start, row - start});
  };
  for (uint64_t item = 0; item < rows.num_items; ++row) {
    bool has_value = rows.is_visible(item);
    for (++item; item < rows.num_items && rows.repetition[item] != rows.max_repetition; ++item) {
      has_value = has_value || rows.is_visible(item);
    }
    if (!has_value) continue;
    close();
    start = row + 1;
  }
  close();
  return stretches;
}

bool AreRunLengths(const ScratchArray<uint16_t>& levels) {
  const LevelSlice all = {0, levels.size()};
  return LevelEncoder::Choose(levels.view(), {&all, 1}, RunLengths::kIfClearWin).is_run_lengths();
}

}  // namespace

std::vector<RowRange> CutEmptyStretches(const ShreddedRows& rows) {
  std::vector<RowRange> parts;
  if (rows.repetition.empty() || rows.num_items - rows.num_values < kMinStretch) return parts;
  const std::vector<RowRange> stretches = FindStretches(rows);
  if (stretches.empty() || AreRunLengths(rows.definition)) return parts;
  uint64_t row = 0;
  for (const RowRange& stretch : stretches) {
    if (stretch.start > row) parts.push_back({row, stretch.start - row});
    parts.push_back(stretch);
    row = stretch.end();
  }
  if (row < rows.num_rows) parts.push_back({row, rows.num_rows - row});
  return parts;
}

}  // namespace lance::encoding
