#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/buffer_builder.h"
#include "base/byte_reader.h"
#include "encoding/write/level_encoder.h"
#include "encoding/write/page_layouts.h"

namespace lance::encoding {
namespace {

constexpr uint64_t kAlignment = 8;
constexpr uint8_t kPadding = 0xFE;
/// Limits of the chunk header, and of the bytes of levels in a chunk of 2.1 (32 KiB in all).
constexpr uint64_t kMaxLevelsPerChunk = 65535;
constexpr uint64_t kMaxLevelBits = 131072;
/// What the chunk words of 2.1 can say.
constexpr uint64_t kMaxChunkBytes2_1 = 32768;

uint64_t AlignUp(uint64_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

// The levels of each chunk: up to the chunk's last visible item; invisible items that follow go
// with the next chunk, those at the very end with the last.
std::vector<LevelSlice> CutLevels(const ShreddedRows& rows, const std::vector<uint32_t>& chunks) {
  std::vector<LevelSlice> slices;
  slices.reserve(chunks.size());
  uint64_t item = 0;
  for (uint32_t count : chunks) {
    const uint64_t first = item;
    if (rows.all_visible()) {
      item += count;
    } else {
      for (uint32_t seen = 0; seen < count; ++item) seen += rows.is_visible(item) ? 1 : 0;
    }
    slices.push_back({first, item - first});
  }
  slices.back().count = rows.num_items - slices.back().first;
  return slices;
}

// Per chunk: rows that end in it, and items after the last of them.
struct RepetitionIndexEntry {
  uint64_t rows = 0;
  uint64_t leftover = 0;
};

std::vector<RepetitionIndexEntry> IndexRows(const ShreddedRows& rows,
                                            const std::vector<LevelSlice>& slices) {
  std::vector<RepetitionIndexEntry> index(slices.size());
  const uint16_t row_start = rows.max_repetition;
  for (size_t i = 0; i < slices.size(); ++i) {
    const auto levels = rows.repetition.view().subspan(slices[i].first, slices[i].count);
    uint64_t starts = 0;
    for (uint16_t level : levels) starts += level == row_start ? 1 : 0;
    const bool begins_row = !levels.empty() && levels[0] == row_start;
    index[i].rows = starts - (begins_row ? 1 : 0);
    if (i + 1 < slices.size()) {
      const auto last = std::find(levels.rbegin(), levels.rend(), row_start);
      index[i].leftover =
          starts == 0 ? levels.size() : static_cast<uint64_t>(last - levels.rbegin()) + 1;
    } else {
      index[i].rows += 1;
    }
    if (i > 0 && begins_row && index[i - 1].leftover != 0) {
      index[i - 1].rows += 1;
      index[i - 1].leftover = 0;
    }
  }
  return index;
}

Result<std::shared_ptr<arrow::Buffer>> RepetitionIndexBuffer(
    const std::vector<RepetitionIndexEntry>& index, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto out, ScratchArray<uint64_t>::Allocate(index.size() * 2, pool));
  for (size_t i = 0; i < index.size(); ++i) {
    out[2 * i] = index[i].rows;
    out[2 * i + 1] = index[i].leftover;
  }
  return out.buffer();
}

// Chunk:
//   u16 number of levels; u16 size of the repetition levels, if there are any; u16 size of the
//   definition levels, if there are any; u16 (2.1) or u32 size of each value buffer; padding
//   each buffer, padded
class ChunkWriter {
 public:
  ChunkWriter(const PageContext& context, const MiniBlockValues& values)
      : rows_(context.rows),
        values_(values),
        size_bytes_(context.minor_version >= kMinorVersion2_2 ? 4 : 2),
        data_(context.pool),
        words_(context.pool) {
    if (!rows_.has_levels()) return;
    slices_ = CutLevels(rows_, values.chunks());
    const RunLengths run_lengths =
        context.minor_version >= kMinorVersion2_2 ? RunLengths::kIfClearWin : RunLengths::kNever;
    const RunLengthBytes widest =
        context.minor_version >= kMinorVersion2_3 ? RunLengthBytes::kTwo : RunLengthBytes::kOne;
    if (!rows_.repetition.empty()) {
      repetition_ = LevelEncoder::Choose(rows_.repetition.view(), slices_, run_lengths, widest);
    }
    if (!rows_.definition.empty()) {
      definition_ = LevelEncoder::Choose(rows_.definition.view(), slices_, run_lengths, widest);
    }
  }

  Status WriteAll() {
    const auto& chunks = values_.chunks();
    uint64_t first = 0;
    ARROW_RETURN_NOT_OK(words_.Reserve(static_cast<int64_t>(chunks.size() * size_bytes_)));
    ARROW_RETURN_NOT_OK(data_.Reserve(static_cast<int64_t>(EstimateSize())));
    for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
      ARROW_RETURN_NOT_OK(data_.Reserve(static_cast<int64_t>(MaxSize(chunk))));
      uint8_t* start = data_.mutable_data() + data_.length();
      const uint64_t size = WriteChunk(chunk, first, start);
      if (size_bytes_ == 2 && size > kMaxChunkBytes2_1) {
        return Unsupported("a chunk takes ", size, " bytes, file version 2.1 allows ",
                           kMaxChunkBytes2_1, "; choose structural-encoding fullzip");
      }
      data_.UnsafeAdvance(static_cast<int64_t>(size));
      AppendWord(size, chunk + 1 < chunks.size() ? chunks[chunk] : 1);
      first += chunks[chunk];
    }
    return Status::OK();
  }

  Status Finish(EncodedPage* page) {
    auto* layout = page->layout().mutable_mini_block_layout();
    if (repetition_) repetition_->Describe(layout->mutable_rep_compression());
    if (definition_) definition_->Describe(layout->mutable_def_compression());
    ARROW_ASSIGN_OR_RAISE(auto words, words_.Finish());
    ARROW_ASSIGN_OR_RAISE(auto data, data_.Finish(/*shrink_to_fit=*/false));
    page->buffers = {std::move(words), std::move(data)};
    return Status::OK();
  }

  const std::vector<LevelSlice>& slices() const { return slices_; }

 private:
  uint64_t HeaderBytes() const {
    return AlignUp(2 + (repetition_ ? 2 : 0) + (definition_ ? 2 : 0) +
                   values_.num_buffers() * size_bytes_);
  }

  // Nearly always enough for all chunks, so that the buffer isn't moved.
  uint64_t EstimateSize() const {
    uint64_t size = 0;
    for (size_t chunk = 0; chunk < values_.chunks().size(); ++chunk) {
      size += values_.MaxChunkSize(chunk) + HeaderBytes() + kAlignment;
    }
    const uint64_t level_kinds = (repetition_ ? 1 : 0) + (definition_ ? 1 : 0);
    return size + slices_.size() * level_kinds * kAlignment + rows_.num_items * level_kinds / 2;
  }

  uint64_t MaxSize(size_t chunk) const {
    uint64_t size =
        HeaderBytes() + values_.MaxChunkSize(chunk) + kAlignment * (values_.num_buffers() + 2);
    if (repetition_) size += repetition_->MaxBytes(slices_[chunk].count);
    if (definition_) size += definition_->MaxBytes(slices_[chunk].count);
    return size;
  }

  static uint8_t* Pad(uint8_t* start, uint8_t* at) {
    uint8_t* end = start + AlignUp(static_cast<uint64_t>(at - start));
    std::memset(at, kPadding, static_cast<size_t>(end - at));
    return end;
  }

  void PutSize(uint64_t size, uint8_t* at) const {
    if (size_bytes_ == 4) {
      StoreLittleEndian(static_cast<uint32_t>(size), at);
    } else {
      StoreLittleEndian(static_cast<uint16_t>(size), at);
    }
  }

  uint64_t WriteChunk(size_t chunk, uint64_t first, uint8_t* start) const {
    const LevelSlice slice = slices_.empty() ? LevelSlice{} : slices_[chunk];
    uint8_t* header = start;
    StoreLittleEndian(static_cast<uint16_t>(slice.count), header);
    header += 2;
    uint8_t* at = start + HeaderBytes();
    auto write_levels = [&](const LevelEncoder& encoder, const ScratchArray<uint16_t>& levels) {
      const uint64_t size = encoder.Encode(levels.view().subspan(slice.first, slice.count), at);
      StoreLittleEndian(static_cast<uint16_t>(size), header);
      header += 2;
      at = Pad(start, at + size);
    };
    if (repetition_) write_levels(*repetition_, rows_.repetition);
    if (definition_) write_levels(*definition_, rows_.definition);
    for (uint32_t buffer = 0; buffer < values_.num_buffers(); ++buffer) {
      const uint64_t size = values_.WriteBuffer(chunk, first, buffer, at);
      PutSize(size, header);
      header += size_bytes_;
      at = Pad(start, at + size);
    }
    Pad(start, header);
    return static_cast<uint64_t>(at - start);
  }

  // (size / 8 - 1) << 4 | log2 of the number of values; 0 as logarithm for the last chunk, whose
  // count follows from the others.
  void AppendWord(uint64_t size, uint32_t count) {
    uint8_t word[4];
    PutSize((size / kAlignment - 1) << 4 | static_cast<uint64_t>(std::countr_zero(count)), word);
    words_.UnsafeAppend(word, static_cast<int64_t>(size_bytes_));
  }

  const ShreddedRows& rows_;
  const MiniBlockValues& values_;
  const uint64_t size_bytes_;
  std::vector<LevelSlice> slices_;
  std::optional<LevelEncoder> repetition_;
  std::optional<LevelEncoder> definition_;
  arrow::BufferBuilder data_;
  arrow::BufferBuilder words_;
};

}  // namespace

uint64_t MaxChunkItems(const ShreddedRows& rows) {
  const auto bits = static_cast<uint64_t>(std::bit_width(rows.max_repetition) +
                                          std::bit_width(rows.max_definition));
  return std::min(kMaxLevelBits / std::max<uint64_t>(bits, 1), kMaxLevelsPerChunk);
}

bool FitsMiniBlocks(const ShreddedRows& rows) {
  const uint64_t limit = MaxChunkItems(rows);
  if (rows.all_visible() || rows.num_items <= limit) return true;
  // A chunk touches at most two neighbouring stretches of kMaxChunkValues values. A stretch starts
  // behind the last value of the one before it; the last one takes what is left.
  uint64_t before_previous = 0;
  uint64_t previous = 0;
  uint64_t item = 0;
  while (item < rows.num_items) {
    const uint64_t first = item;
    uint64_t seen = 0;
    for (; seen < kMaxChunkValues && item < rows.num_items; ++item) {
      seen += rows.is_visible(item) ? 1 : 0;
    }
    const uint64_t items = item - first;
    if (previous + items + (seen == 0 ? before_previous : 0) > limit) return false;
    before_previous = previous;
    previous = items;
  }
  return true;
}

Result<EncodedPage> EncodeMiniBlockPage(const PageContext& context, const MiniBlockValues& values,
                                        const DictionaryBlock* dictionary) {
  EncodedPage page;
  ChunkWriter writer(context, values);
  ARROW_RETURN_NOT_OK(writer.WriteAll());
  ARROW_RETURN_NOT_OK(writer.Finish(&page));
  auto* layout = page.layout().mutable_mini_block_layout();
  values.Describe(layout->mutable_value_compression());
  layout->set_num_buffers(values.num_buffers());
  layout->set_num_items(context.rows.num_values);
  layout->set_has_large_chunk(context.minor_version >= kMinorVersion2_2);
  DescribeLayers(context.rows, layout->mutable_layers());
  if (dictionary != nullptr) {
    ARROW_ASSIGN_OR_RAISE(
        auto items, EncodeItems(dictionary->items, context.minor_version, context.hints.dictionary,
                                context.pool, layout->mutable_dictionary()));
    layout->set_num_dictionary_items(dictionary->items.count);
    page.buffers.push_back(std::move(items));
  }
  if (!context.rows.repetition.empty()) {
    layout->set_repetition_index_depth(1);
    ARROW_ASSIGN_OR_RAISE(
        auto index, RepetitionIndexBuffer(IndexRows(context.rows, writer.slices()), context.pool));
    page.buffers.push_back(std::move(index));
  }
  return page;
}

}  // namespace lance::encoding
