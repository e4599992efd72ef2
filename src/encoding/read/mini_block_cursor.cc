#include "encoding/read/mini_block_cursor.h"

#include <algorithm>

namespace lance::encoding {

// ---- without lists

Status MiniBlockCursor::Needs(LeafSink&, uint64_t, std::vector<NeededBytes>* needs) {
  if (fed_) return Status::OK();
  Plan();
  page_.PlaceVisits(&visits_, needs);
  return Status::OK();
}

void MiniBlockCursor::Plan() {
  runs_.reserve(rows_.size());
  for (const RowRange& range : rows_) {
    uint64_t row = range.start;
    uint64_t chunk = range.count > 0 ? page_.ChunkOfValue(row) : 0;
    while (row < range.end()) {
      const uint64_t begin = page_.values_before_[chunk];
      const uint64_t end = std::min(range.end(), page_.values_before_[chunk + 1]);
      if (visits_.empty() || visits_.back().chunk != chunk) {
        visits_.push_back({chunk, 0, static_cast<uint32_t>(runs_.size())});
      }
      runs_.push_back({static_cast<uint32_t>(row - begin), static_cast<uint32_t>(end - row)});
      ++visits_.back().num_runs;
      row = end;
      ++chunk;
    }
  }
}

Status MiniBlockCursor::Feed(std::span<const Bytes> bytes) {
  bytes_.assign(bytes.begin(), bytes.end());
  fed_ = true;
  return Status::OK();
}

Status MiniBlockCursor::DecodeInto(LeafSink& sink, uint64_t at) {
  if (page_.shape_->is_dictionary) sink.StartDictionary(page_.dictionary_, at);
  for (const Visit& visit : visits_) {
    ARROW_RETURN_NOT_OK(DecodeVisit(visit, at, sink));
    for (uint32_t i = 0; i < visit.num_runs; ++i) at += runs_[visit.first_run + i].count;
  }
  return Status::OK();
}

Status MiniBlockCursor::DecodeVisit(const Visit& visit, uint64_t at, LeafSink& sink) const {
  thread_local MiniBlockPage::Chunk chunk;
  const uint64_t size =
      page_.chunk_offset_[visit.chunk + 1] - page_.chunk_offset_[visit.chunk];
  ARROW_RETURN_NOT_OK(
      page_.ParseChunk(bytes_[visit.need].subspan(visit.offset, size), &chunk));
  const uint32_t num_values = page_.values_in(visit.chunk);
  const std::span<const ValueRun> runs(runs_.data() + visit.first_run, visit.num_runs);
  ARROW_RETURN_NOT_OK(AppendDefinitions(chunk, num_values, runs, sink));
  return page_.DecodeValues(chunk, num_values, runs, at, sink);
}

Status MiniBlockCursor::AppendDefinitions(const MiniBlockPage::Chunk& chunk, uint32_t num_values,
                                          std::span<const ValueRun> runs, LeafSink& sink) const {
  const uint16_t* def = nullptr;
  thread_local std::vector<uint16_t> levels;
  if (page_.def_decoder_) {
    if (chunk.num_levels != num_values) {
      return Corrupt("chunk has ", chunk.num_levels, " definition levels for ", num_values,
                     " values");
    }
    levels.resize(num_values);
    ARROW_RETURN_NOT_OK(page_.def_decoder_->DecodeFixed(
        chunk.def, num_values, reinterpret_cast<uint8_t*>(levels.data())));
    uint16_t largest = 0;
    for (uint16_t level : levels) largest = std::max(largest, level);
    if (largest > page_.levels_.max_def) {
      return Corrupt("definition level ", largest, ", at most ", page_.levels_.max_def,
                     " is possible");
    }
    if (largest > 0) def = levels.data();
  }
  for (const ValueRun& run : runs) {
    ARROW_RETURN_NOT_OK(sink.AppendLevels(nullptr, def == nullptr ? nullptr : def + run.start,
                                          page_.levels_.to_canonical, run.count));
  }
  return Status::OK();
}

// ---- with lists

uint64_t MiniBlockListCursor::ChunkWhereRowStarts(uint64_t row) const {
  const auto& before = page_.rows_before_;
  return static_cast<uint64_t>(std::upper_bound(before.begin(), before.end(), row) -
                               before.begin()) -
         1;
}

uint64_t MiniBlockListCursor::ChunkWhereRowEnds(uint64_t row) const {
  uint64_t chunk = ChunkWhereRowStarts(row);
  if (row + 1 < page_.rows_before_[chunk + 1]) return chunk;
  while (chunk + 1 < page_.num_chunks() && page_.has_preamble_[chunk + 1] != 0) {
    ++chunk;
    if (page_.rows_before_[chunk + 1] > page_.rows_before_[chunk]) break;
  }
  return chunk;
}

Status MiniBlockListCursor::Needs(LeafSink&, uint64_t, std::vector<NeededBytes>* needs) {
  if (fed_) return Status::OK();
  for (const RowRange& range : rows_) {
    if (range.count == 0) continue;
    const uint64_t first = ChunkWhereRowStarts(range.start);
    const uint64_t last = ChunkWhereRowEnds(range.end() - 1);
    for (uint64_t chunk = first; chunk <= last; ++chunk) {
      if (visits_.empty() || visits_.back().chunk < chunk) visits_.push_back({chunk, 0});
    }
  }
  page_.PlaceVisits(&visits_, needs);
  return Status::OK();
}

Status MiniBlockListCursor::Feed(std::span<const Bytes> bytes) {
  bytes_.assign(bytes.begin(), bytes.end());
  fed_ = true;
  return Status::OK();
}

Status MiniBlockListCursor::DecodeInto(LeafSink& sink, uint64_t) {
  if (page_.shape_->is_dictionary) sink.StartDictionary(page_.dictionary_, sink.num_values());
  size_t next_range = 0;
  for (const Visit& visit : visits_) {
    ARROW_RETURN_NOT_OK(DecodeVisit(visit, &next_range, sink));
  }
  return Status::OK();
}

Status MiniBlockListCursor::DecodeVisit(const Visit& visit, size_t* next_range, LeafSink& sink) {
  thread_local MiniBlockPage::Chunk chunk;
  const uint64_t size =
      page_.chunk_offset_[visit.chunk + 1] - page_.chunk_offset_[visit.chunk];
  ARROW_RETURN_NOT_OK(
      page_.ParseChunk(bytes_[visit.need].subspan(visit.offset, size), &chunk));
  const uint64_t n = chunk.num_levels;
  rep_.resize(n);
  ARROW_RETURN_NOT_OK(
      page_.rep_decoder_->DecodeFixed(chunk.rep, n, reinterpret_cast<uint8_t*>(rep_.data())));
  def_.assign(n, 0);
  if (page_.def_decoder_) {
    ARROW_RETURN_NOT_OK(
        page_.def_decoder_->DecodeFixed(chunk.def, n, reinterpret_cast<uint8_t*>(def_.data())));
  }
  const uint16_t max_rep = page_.levels_.max_rep;
  const uint16_t max_def = page_.levels_.max_def;
  const uint16_t max_visible = page_.levels_.max_visible_def;
  uint64_t starts = 0;
  uint64_t visible = 0;
  bool in_range = true;
  for (uint64_t i = 0; i < n; ++i) {
    in_range &= rep_[i] <= max_rep && def_[i] <= max_def;
    starts += rep_[i] == max_rep ? 1 : 0;
    visible += def_[i] <= max_visible ? 1 : 0;
  }
  const uint64_t first_row = page_.rows_before_[visit.chunk];
  const uint64_t expected_starts = page_.rows_before_[visit.chunk + 1] - first_row;
  const uint32_t num_values = page_.values_in(visit.chunk);
  const bool preamble = page_.has_preamble_[visit.chunk] != 0;
  if (!in_range || starts != expected_starts || visible != num_values ||
      (n > 0 && preamble != (rep_[0] != max_rep))) {
    return Corrupt("chunk ", visit.chunk, " with lists: ", n, " levels with ", starts,
                   " row starts and ", visible, " values, expected ", expected_starts, " and ",
                   num_values);
  }

  // Cut the levels into the items of wanted rows. Row first_row - 1 owns the preamble.
  std::vector<ValueRun> runs;
  uint64_t item = 0;
  uint64_t value = 0;
  uint64_t row = first_row - (preamble ? 1 : 0);
  uint64_t taken_values = 0;
  while (item < n) {
    while (*next_range < rows_.size() && rows_[*next_range].end() <= row) ++*next_range;
    if (*next_range == rows_.size()) break;
    const RowRange& range = rows_[*next_range];
    const bool wanted = row >= range.start;
    const uint64_t stop_row = wanted ? range.end() : range.start;
    const uint64_t begin_item = item;
    const uint64_t begin_value = value;
    // Forward to the item where row stop_row starts, or to the end of the chunk.
    while (item < n) {
      if (rep_[item] == max_rep && item != begin_item) {
        ++row;
        if (row == stop_row) break;
      }
      value += def_[item] <= max_visible ? 1 : 0;
      ++item;
    }
    if (wanted) {
      ARROW_RETURN_NOT_OK(sink.AppendLevels(rep_.data() + begin_item,
                                            max_def == 0 ? nullptr : def_.data() + begin_item,
                                            page_.levels_.to_canonical, item - begin_item));
      if (value > begin_value) {
        runs.push_back({static_cast<uint32_t>(begin_value),
                        static_cast<uint32_t>(value - begin_value)});
        taken_values += value - begin_value;
      }
    }
  }
  if (taken_values == 0) return Status::OK();
  uint64_t at = 0;
  if (page_.shape_->values == LeafShape::Values::kFixed) {
    ARROW_ASSIGN_OR_RAISE(at, sink.AppendFixed(taken_values));
  }
  return page_.DecodeValues(chunk, num_values, runs, at, sink);
}

}  // namespace lance::encoding
