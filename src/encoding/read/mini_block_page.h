#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "encoding/read/block_decoder.h"
#include "encoding/read/list_dictionary.h"
#include "encoding/read/page_levels.h"
#include "encoding/read/page_reader.h"
#include "encoding/read/value_decoder.h"

namespace lance::encodings21 {
class MiniBlockLayout;
}

namespace lance::encoding {

/// Of a chunk without levels: their number, which is 0, and the size of the values, padded.
constexpr uint64_t kBareChunkHeaderBytes = 8;

// Mini-block pages (spec/encodings.md §3.1): narrow values in chunks of up to 32768.
//
// Page buffers: 0 chunk words, 1 chunks, [dictionary], [repetition index].
// Chunk word, u16 in 2.1 and u32 in 2.2: (bytes / 8 - 1) << 4 | log2(values), 0 for the last chunk
// when its count is no power of two.
class MiniBlockPage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const encodings21::MiniBlockLayout& layout,
                                                  const LeafShape& shape,
                                                  std::vector<PageBuffer> buffers,
                                                  uint64_t num_rows, bool version_2_1);

  std::vector<NeededBytes> IndexNeeds() const override;
  Status LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool* pool) override;
  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class MiniBlockCursor;
  friend class MiniBlockListCursor;
  template <typename T>
  friend class PackedValuesCursor;
  friend class PlainValuesCursor;

  MiniBlockPage(const LeafShape& shape, std::vector<PageBuffer> buffers, uint64_t num_rows)
      : PageReader(shape, std::move(buffers), num_rows) {}

  Status LoadChunks(Bytes words);
  /// Whether all chunks have sizes that tell their bit width.
  bool ChunksArePacked() const;
  Status LoadRepetitionIndex(Bytes index);

  uint64_t num_chunks() const { return chunk_offset_.size() - 1; }
  uint32_t values_in(uint64_t chunk) const {
    return static_cast<uint32_t>(values_before_[chunk + 1] - values_before_[chunk]);
  }
  /// The chunk that holds a value; value < num_values_.
  uint64_t ChunkOfValue(uint64_t value) const;
  /// One byte range for each series of neighbouring chunks among the visited ones, and the place of
  /// each visit in it.
  template <typename Visit>
  void PlaceVisits(std::vector<Visit>* visits, std::vector<NeededBytes>* needs) const {
    uint32_t need = 0;
    for (size_t i = 0; i < visits->size(); ++i) {
      Visit& visit = (*visits)[i];
      const uint64_t begin = chunk_offset_[visit.chunk];
      const uint64_t size = chunk_offset_[visit.chunk + 1] - begin;
      if (i > 0 && (*visits)[i - 1].chunk + 1 == visit.chunk) {
        needs->back().size += size;
      } else {
        need = i == 0 ? 0 : need + 1;
        needs->push_back({buffers_[1].offset + begin, size});
      }
      visit.need = need;
      visit.offset = begin - (needs->back().offset - buffers_[1].offset);
    }
  }

  struct Chunk {
    uint32_t num_levels = 0;
    Bytes rep;
    Bytes def;
    std::vector<Bytes> values;
  };
  /// Splits a chunk at its header. `out` is reused from chunk to chunk.
  Status ParseChunk(Bytes bytes, Chunk* out) const;
  /// How many levels a chunk with lists has.
  uint64_t CountLevels(const Chunk& chunk) const;
  /// Decodes the values of runs: into place for fixed-width values, else appended.
  Status DecodeValues(const Chunk& chunk, uint32_t num_values, std::span<const ValueRun> runs,
                      uint64_t at, LeafSink& sink) const;
  /// Keys of a dictionary, as wide as the page stores them.
  struct DecodedKeys {
    const uint8_t* data;  ///< until the next are decoded on this thread
    uint64_t count;
  };
  Result<DecodedKeys> DecodeKeys(const Chunk& chunk, uint32_t num_values,
                                 std::span<const ValueRun> runs) const;
  Status DecodeWiderKeys(const Chunk& chunk, uint32_t num_values, std::span<const ValueRun> runs,
                         uint64_t at, LeafSink& sink) const;
  Status DecodeDictionaryValues(const Chunk& chunk, uint32_t num_values,
                                std::span<const ValueRun> runs, uint64_t at, LeafSink& sink) const;

  // Description
  PageLevels levels_;
  std::unique_ptr<BlockDecoder> rep_decoder_;
  std::unique_ptr<BlockDecoder> def_decoder_;
  std::unique_ptr<FixedDecoder> fixed_;  ///< values, or indices when there is a dictionary
  std::unique_ptr<VariableDecoder> variable_;
  std::unique_ptr<BlockDecoder> dictionary_decoder_;
  std::unique_ptr<ListDictionary> list_dictionary_;  ///< instead, when items are lists
  uint64_t num_dictionary_items_ = 0;
  uint64_t num_values_ = 0;
  uint32_t num_buffers_ = 0;
  bool large_chunks_ = false;
  /// Bytes of a value, where chunks are nothing but plain values; else 0.
  uint64_t plain_bytes_ = 0;
  /// Chunks are nothing but packed numbers.
  bool packed_ = false;

  // Index
  std::vector<uint64_t> chunk_offset_;   ///< in buffer 1; num_chunks + 1 entries
  std::vector<uint64_t> values_before_;  ///< num_chunks + 1 entries
  /// log2 of the values in all chunks but the last, when they agree.
  std::optional<uint32_t> uniform_log_values_;
  std::vector<uint64_t> rows_before_;  ///< rows that start before a chunk; only with lists
  std::vector<uint8_t> has_preamble_;  ///< the chunk begins inside a row; only with lists
  std::shared_ptr<const DecodedBlock> dictionary_;
};

}  // namespace lance::encoding
