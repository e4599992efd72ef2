#include "dataset/row_positions.h"

#include <unordered_map>

#include "arrow/api.h"
#include "table/row_words.h"

namespace lance {
namespace {

Result<std::vector<uint64_t>> PositionsOfAddresses(const Snapshot& snapshot,
                                                   std::span<const uint64_t> addresses) {
  ARROW_ASSIGN_OR_RAISE(auto nothing, snapshot.Select({.columns = std::vector<std::string>()}));
  ARROW_ASSIGN_OR_RAISE(auto counts, snapshot.Counts());
  const Context context = snapshot.MakeContext();
  std::vector<uint64_t> positions;
  positions.reserve(addresses.size());
  for (const uint64_t address : addresses) {
    const uint64_t fragment_id = FragmentIdOf(RowAddress{address});
    const uint64_t offset = OffsetOf(RowAddress{address});
    auto index = snapshot.FindFragment(fragment_id);
    if (!index.ok()) {
      return UserError("row address ", address, " belongs to non-existent fragment ", fragment_id);
    }
    ARROW_ASSIGN_OR_RAISE(auto reader, snapshot.OpenFragment(context, nothing, *index));
    if (offset >= reader->physical_rows()) {
      return UserError("row address ", address, ": fragment ", fragment_id, " has ",
                       reader->physical_rows(), " addressable rows");
    }
    const auto live = reader->LivePosition(offset);
    if (!live) {
      return Unsupported(
          "A take operation that includes row addresses must not target deleted "
          "rows: ",
          address);
    }
    positions.push_back(counts->starts[*index] + *live);
  }
  return positions;
}

Result<std::vector<uint64_t>> PositionsOfStableIds(const Snapshot& snapshot,
                                                   std::span<const uint64_t> ids) {
  constexpr uint64_t kMissing = UINT64_MAX;
  std::unordered_map<uint64_t, uint64_t> wanted;
  for (const uint64_t id : ids) wanted.emplace(id, kMissing);
  ARROW_ASSIGN_OR_RAISE(auto selection, snapshot.Select({.columns = std::vector<std::string>(),
                                                         .with_row_id = true}));
  ARROW_ASSIGN_OR_RAISE(auto counts, snapshot.Counts());
  const Context context = snapshot.MakeContext();
  size_t missing = wanted.size();
  for (size_t i = 0; i < snapshot.fragments().size() && missing > 0; ++i) {
    ARROW_ASSIGN_OR_RAISE(auto reader, snapshot.OpenFragment(context, selection, i));
    std::vector<RowRange> rows;
    reader->AppendPhysicalRanges({0, reader->live_rows()}, &rows);
    ARROW_ASSIGN_OR_RAISE(auto batch, reader->Read(context, rows));
    const auto& found = static_cast<const arrow::UInt64Array&>(*batch->column(0));
    for (int64_t row = 0; row < found.length(); ++row) {
      const auto at = wanted.find(found.Value(row));
      if (at == wanted.end() || at->second != kMissing) continue;
      at->second = counts->starts[i] + static_cast<uint64_t>(row);
      --missing;
    }
  }
  std::vector<uint64_t> positions;
  positions.reserve(ids.size());
  for (const uint64_t id : ids) {
    const uint64_t position = wanted[id];
    if (position == kMissing) {
      return UserError("Could not resolve all requested row IDs: requested ", wanted.size(),
                       ", resolved ", wanted.size() - missing, "; first missing row ID ", id,
                       " was deleted or not found");
    }
    positions.push_back(position);
  }
  return positions;
}

}  // namespace

Result<std::vector<uint64_t>> PositionsOf(const Snapshot& snapshot, RowKey key,
                                          std::span<const uint64_t> rows) {
  if (key == RowKey::kIndex) return std::vector<uint64_t>(rows.begin(), rows.end());
  if (key == RowKey::kId && snapshot.manifest().has_stable_row_ids()) {
    return PositionsOfStableIds(snapshot, rows);
  }
  return PositionsOfAddresses(snapshot, rows);
}

}  // namespace lance
