#include "encoding/read/mini_block_cursor.h"

#include <algorithm>

#include "encoding/read/level_counts.h"

namespace lance::encoding {

namespace {

// Levels that are counted in vectors before one by one.
constexpr uint64_t kItemsAtOnce = 64;
constexpr uint64_t kLikelyValuesPerByte = 16;
// So many that 16-bit sums do: they keep the loop in vectors of 16-bit numbers.
constexpr uint64_t kLevelsAtOnce = 32 * 1024;

}  // namespace

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
  const uint64_t size = page_.chunk_offset_[visit.chunk + 1] - page_.chunk_offset_[visit.chunk];
  ARROW_RETURN_NOT_OK(page_.ParseChunk(bytes_[visit.need].subspan(visit.offset, size), &chunk));
  const uint32_t num_values = page_.values_in(visit.chunk);
  const std::span<const ValueRun> runs(runs_.data() + visit.first_run, visit.num_runs);
  ARROW_RETURN_NOT_OK(AppendDefinitions(chunk, num_values, runs, sink));
  return page_.DecodeValues(chunk, num_values, runs, at, sink);
}

Status MiniBlockCursor::AppendDefinitions(const MiniBlockPage::Chunk& chunk, uint32_t num_values,
                                          std::span<const ValueRun> runs, LeafSink& sink) const {
  thread_local std::vector<uint16_t> levels;
  const uint16_t* def = nullptr;
  if (page_.def_decoder_) {
    if (chunk.num_levels != num_values) {
      return Corrupt("chunk has ", chunk.num_levels, " definition levels for ", num_values,
                     " values");
    }
    levels.resize(num_values);
    ARROW_ASSIGN_OR_RAISE(const uint16_t largest, LoadDefinitions(chunk, runs, levels));
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

Result<uint16_t> MiniBlockCursor::LoadDefinitions(const MiniBlockPage::Chunk& chunk,
                                                  std::span<const ValueRun> runs,
                                                  std::span<uint16_t> levels) const {
  if (runs.size() == 1 && runs[0].count == 1) {
    uint16_t& level = levels[runs[0].start];
    ARROW_ASSIGN_OR_RAISE(const bool alone,
                          page_.def_decoder_->DecodeOne(chunk.def, levels.size(), runs[0].start,
                                                        reinterpret_cast<uint8_t*>(&level)));
    if (alone) return level;
  }
  ARROW_RETURN_NOT_OK(page_.def_decoder_->DecodeFixed(chunk.def, levels.size(),
                                                      reinterpret_cast<uint8_t*>(levels.data())));
  return LargestLevel(levels.data(), levels.size());
}

// ---- with lists

uint64_t MiniBlockListCursor::ChunkWhereRowStarts(uint64_t row) const {
  const auto& before = page_.rows_before_;
  return static_cast<uint64_t>(std::upper_bound(before.begin(), before.end(), row) -
                               before.begin()) -
         1;
}

uint64_t MiniBlockListCursor::ChunkWhereRowEnds(uint64_t row, uint64_t chunk) const {
  if (row >= page_.rows_before_[chunk + 1]) chunk = ChunkWhereRowStarts(row);
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
    const uint64_t last = ChunkWhereRowEnds(range.end() - 1, first);
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
  ARROW_RETURN_NOT_OK(sink.ReserveItems(ExpectedValues()));
  size_t next_range = 0;
  for (const Visit& visit : visits_) {
    ARROW_RETURN_NOT_OK(DecodeVisit(visit, &next_range, sink));
  }
  return Status::OK();
}

// As many for each row as the page has on average, but no more than its bytes are likely to hold:
// what it says of itself is not proved before it is decoded.
uint64_t MiniBlockListCursor::ExpectedValues() const {
  if (page_.num_rows_ == 0) return 0;
  const double per_row =
      static_cast<double>(page_.num_values_) / static_cast<double>(page_.num_rows_);
  const auto expected = static_cast<uint64_t>(per_row * static_cast<double>(CountRows(rows_)));
  return std::min(expected, kLikelyValuesPerByte * page_.buffers_[1].size);
}

// Decodes the levels of a chunk and checks them against the chunk table and the repetition index.
Status MiniBlockListCursor::LoadLevels(const MiniBlockPage::Chunk& chunk, uint64_t chunk_index) {
  const uint64_t n = page_.CountLevels(chunk);
  rep_.resize(n);
  ARROW_RETURN_NOT_OK(
      page_.rep_decoder_->DecodeFixed(chunk.rep, n, reinterpret_cast<uint8_t*>(rep_.data())));
  def_.resize(n);
  if (page_.def_decoder_) {
    ARROW_RETURN_NOT_OK(
        page_.def_decoder_->DecodeFixed(chunk.def, n, reinterpret_cast<uint8_t*>(def_.data())));
  } else {
    std::fill(def_.begin(), def_.end(), 0);
  }
  const uint16_t max_rep = page_.levels_.max_rep;
  const uint16_t max_visible = page_.levels_.max_visible_def;
  uint64_t starts = 0;
  uint64_t visible = 0;
  uint16_t largest_rep = 0;
  uint16_t largest_def = 0;
  for (uint64_t begin = 0; begin < n; begin += kLevelsAtOnce) {
    const uint64_t end = std::min(n, begin + kLevelsAtOnce);
    uint16_t more_starts = 0;
    uint16_t more_visible = 0;
    for (uint64_t i = begin; i < end; ++i) {
      largest_rep = std::max(largest_rep, rep_[i]);
      largest_def = std::max(largest_def, def_[i]);
      more_starts = static_cast<uint16_t>(more_starts + (rep_[i] == max_rep ? 1 : 0));
      more_visible = static_cast<uint16_t>(more_visible + (def_[i] <= max_visible ? 1 : 0));
    }
    starts += more_starts;
    visible += more_visible;
  }
  const uint64_t expected_starts =
      page_.rows_before_[chunk_index + 1] - page_.rows_before_[chunk_index];
  const uint32_t num_values = page_.values_in(chunk_index);
  const bool preamble = page_.has_preamble_[chunk_index] != 0;
  if (largest_rep > max_rep || largest_def > page_.levels_.max_def || starts != expected_starts ||
      visible != num_values || (n > 0 && preamble != (rep_[0] != max_rep))) {
    return Corrupt("chunk ", chunk_index, " with lists: ", n, " levels with ", starts,
                   " row starts and ", visible, " values, expected ", expected_starts, " and ",
                   num_values);
  }
  return Status::OK();
}

// Appends the levels of wanted rows, and lists the runs of values that they own. Row
// rows_before_[chunk] - 1 owns what stands before the first row start.
Status MiniBlockListCursor::CutRows(uint64_t chunk_index, size_t* next_range, LeafSink& sink) {
  const uint64_t n = rep_.size();
  const uint16_t max_rep = page_.levels_.max_rep;
  const uint16_t max_visible = page_.levels_.max_visible_def;
  const uint64_t first_row = page_.rows_before_[chunk_index];
  const uint64_t end_row = page_.rows_before_[chunk_index + 1];
  const uint64_t begin_row = first_row - page_.has_preamble_[chunk_index];
  uint64_t position = 0;
  uint64_t seen = 0;
  auto item_of_row = [&](uint64_t row) {
    if (row < first_row) return uint64_t{0};
    if (row >= end_row) return n;
    const uint64_t target = row - first_row;
    for (; position + kItemsAtOnce <= n; position += kItemsAtOnce) {
      const uint64_t starts = CountLevels(rep_.data() + position, kItemsAtOnce, max_rep);
      if (seen + starts > target) break;
      seen += starts;
    }
    position += PositionOfLevel(rep_.data() + position, std::min(kItemsAtOnce, n - position),
                                max_rep, target - seen);
    seen = target;
    return position;
  };
  uint64_t counted_items = 0;
  uint64_t counted_values = 0;
  auto values_before = [&](uint64_t item) {
    counted_values +=
        CountLevelsUpTo(def_.data() + counted_items, item - counted_items, max_visible);
    counted_items = item;
    return counted_values;
  };
  runs_.clear();
  for (;; ++*next_range) {
    while (*next_range < rows_.size() && rows_[*next_range].end() <= begin_row) ++*next_range;
    if (*next_range == rows_.size() || rows_[*next_range].start >= end_row) break;
    const RowRange& range = rows_[*next_range];
    const uint64_t begin = item_of_row(range.start);
    const uint64_t end = item_of_row(range.end());
    ARROW_RETURN_NOT_OK(sink.AppendLevels(
        rep_.data() + begin, page_.levels_.max_def == 0 ? nullptr : def_.data() + begin,
        page_.levels_.to_canonical, end - begin));
    const bool whole = begin == 0 && end == n;
    const uint64_t begin_value = whole ? 0 : values_before(begin);
    const uint64_t end_value = whole ? page_.values_in(chunk_index) : values_before(end);
    if (end_value > begin_value) {
      runs_.push_back(
          {static_cast<uint32_t>(begin_value), static_cast<uint32_t>(end_value - begin_value)});
    }
    if (range.end() >= end_row) break;
  }
  return Status::OK();
}

Status MiniBlockListCursor::DecodeVisit(const Visit& visit, size_t* next_range, LeafSink& sink) {
  thread_local MiniBlockPage::Chunk chunk;
  const uint64_t size = page_.chunk_offset_[visit.chunk + 1] - page_.chunk_offset_[visit.chunk];
  ARROW_RETURN_NOT_OK(page_.ParseChunk(bytes_[visit.need].subspan(visit.offset, size), &chunk));
  ARROW_RETURN_NOT_OK(LoadLevels(chunk, visit.chunk));
  ARROW_RETURN_NOT_OK(CutRows(visit.chunk, next_range, sink));
  uint64_t values = 0;
  for (const ValueRun& run : runs_) values += run.count;
  if (values == 0) return Status::OK();
  uint64_t at = 0;
  if (page_.shape_->values != LeafShape::Values::kVariable) {
    ARROW_ASSIGN_OR_RAISE(at, sink.AppendFixed(values));
  }
  return page_.DecodeValues(chunk, page_.values_in(visit.chunk), runs_, at, sink);
}

}  // namespace lance::encoding
