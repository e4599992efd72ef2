#pragma once

#include <memory>
#include <vector>

#include "encoding/read/mini_block_page.h"

namespace lance::encoding {

/// Reads rows of a mini-block page without lists: row = value.
class MiniBlockCursor final : public PageCursor {
 public:
  MiniBlockCursor(const MiniBlockPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {}
  Status Needs(LeafSink& sink, uint64_t at, std::vector<NeededBytes>* needs) override;
  Status Feed(std::span<const Bytes> bytes) override;
  Status DecodeInto(LeafSink& sink, uint64_t at) override;

 private:
  // One touched chunk and the runs wanted of it.
  struct Visit {
    uint64_t chunk;
    uint32_t need;  ///< index of the range that holds it
    uint32_t first_run;
    uint32_t num_runs = 0;
    uint64_t offset = 0;  ///< within the range
  };
  void Plan();
  Status DecodeVisit(const Visit& visit, uint64_t at, LeafSink& sink) const;
  Status AppendDefinitions(const MiniBlockPage::Chunk& chunk, uint32_t num_values,
                           std::span<const ValueRun> runs, LeafSink& sink) const;

  // The definition levels of the runs, and the largest of these, or of all of the chunk.
  Result<uint16_t> LoadDefinitions(const MiniBlockPage::Chunk& chunk,
                                   std::span<const ValueRun> runs,
                                   std::span<uint16_t> levels) const;

  const MiniBlockPage& page_;
  std::vector<RowRange> rows_;
  std::vector<Visit> visits_;
  std::vector<ValueRun> runs_;
  std::vector<Bytes> bytes_;
  bool fed_ = false;
};

/// Reads rows of a mini-block page with lists: rows are found by the repetition index and cut at
/// the repetition levels.
class MiniBlockListCursor final : public PageCursor {
 public:
  MiniBlockListCursor(const MiniBlockPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {}
  Status Needs(LeafSink& sink, uint64_t at, std::vector<NeededBytes>* needs) override;
  Status Feed(std::span<const Bytes> bytes) override;
  Status DecodeInto(LeafSink& sink, uint64_t at) override;

 private:
  struct Visit {
    uint64_t chunk;
    uint32_t need;
    uint64_t offset = 0;
  };
  uint64_t ChunkWhereRowStarts(uint64_t row) const;
  /// `chunk` is one where the row starts or an earlier row does.
  uint64_t ChunkWhereRowEnds(uint64_t row, uint64_t chunk) const;
  uint64_t ExpectedValues() const;
  Status LoadLevels(const MiniBlockPage::Chunk& chunk, uint64_t chunk_index);
  Status CutRows(uint64_t chunk_index, size_t* next_range, LeafSink& sink);
  Status DecodeVisit(const Visit& visit, size_t* next_range, LeafSink& sink);

  const MiniBlockPage& page_;
  std::vector<RowRange> rows_;
  std::vector<Visit> visits_;
  std::vector<Bytes> bytes_;
  std::vector<uint16_t> rep_;
  std::vector<uint16_t> def_;
  std::vector<ValueRun> runs_;
  bool fed_ = false;
};

}  // namespace lance::encoding
