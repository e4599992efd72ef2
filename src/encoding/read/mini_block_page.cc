#include "encoding/read/mini_block_page.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "encoding/codec/bitpack.h"
#include "encoding/dictionary_keys.h"
#include "encoding/read/encoding_name.h"
#include "encoding/read/mini_block_cursor.h"
#include "encoding/read/packed_values_cursor.h"
#include "encoding/read/plain_values_cursor.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

constexpr uint64_t kChunkAlignment = 8;
constexpr uint32_t kMaxLogValues = 15;
constexpr uint64_t kMaxChunkValues = uint64_t{1} << kMaxLogValues;
constexpr uint32_t kMaxValueBuffers = 64;

std::vector<int> Layers(const encodings21::MiniBlockLayout& layout) {
  return {layout.layers().begin(), layout.layers().end()};
}

}  // namespace

Result<std::unique_ptr<PageReader>> MiniBlockPage::Make(const encodings21::MiniBlockLayout& layout,
                                                        const LeafShape& shape,
                                                        std::vector<PageBuffer> buffers,
                                                        uint64_t num_rows, bool version_2_1) {
  std::unique_ptr<MiniBlockPage> page(new MiniBlockPage(shape, std::move(buffers), num_rows));
  if (layout.has_large_chunk() == version_2_1) {
    return Corrupt("mini-block page with ", layout.has_large_chunk() ? "32" : "16",
                   "-bit chunk words in a file of version ", version_2_1 ? "2.1" : "2.2");
  }
  page->large_chunks_ = layout.has_large_chunk();
  ARROW_ASSIGN_OR_RAISE(page->levels_, PageLevels::Make(Layers(layout), shape));
  const bool has_rep = layout.has_rep_compression();
  if (has_rep != (page->levels_.max_rep > 0) || layout.repetition_index_depth() > 1 ||
      has_rep != (layout.repetition_index_depth() == 1)) {
    return Corrupt("mini-block page: repetition levels and repetition index don't fit the ",
                   page->levels_.max_rep, " list layers");
  }
  if (has_rep) {
    ARROW_ASSIGN_OR_RAISE(page->rep_decoder_, MakeLevelDecoder(layout.rep_compression()));
  }
  if (layout.has_def_compression()) {
    ARROW_ASSIGN_OR_RAISE(page->def_decoder_, MakeLevelDecoder(layout.def_compression()));
  }
  const size_t expected_buffers = 2 + (layout.has_dictionary() ? 1 : 0) + (has_rep ? 1 : 0);
  if (page->buffers_.size() != expected_buffers) {
    return Corrupt("mini-block page has ", page->buffers_.size(), " buffers, expected ",
                   expected_buffers);
  }
  page->num_values_ = layout.num_items();
  page->num_dictionary_items_ = layout.num_dictionary_items();
  if (!has_rep && page->num_values_ != num_rows) {
    return Corrupt("mini-block page has ", page->num_values_, " values for ", num_rows, " rows");
  }

  const encodings21::CompressiveEncoding& values = layout.value_compression();
  if (shape.values == LeafShape::Values::kNone || shape.values == LeafShape::Values::kEmptyStruct) {
    return Corrupt("mini-block page in a column without values");
  }
  if (layout.has_dictionary() && !shape.dimensions.empty()) {
    ARROW_ASSIGN_OR_RAISE(page->list_dictionary_, ListDictionary::Make(layout.dictionary(), shape));
    ARROW_ASSIGN_OR_RAISE(page->fixed_, FixedDecoder::Make(values, LeafShape{}));
    if (page->fixed_->value_bits() != 32) {
      return Corrupt("dictionary indices of ", page->fixed_->value_bits(), " bits");
    }
  } else if (layout.has_dictionary()) {
    ARROW_ASSIGN_OR_RAISE(page->dictionary_decoder_, BlockDecoder::Make(layout.dictionary()));
    // Indices are plain numbers, whatever the column's type.
    ARROW_ASSIGN_OR_RAISE(page->fixed_, FixedDecoder::Make(values, LeafShape{}));
    const BlockDecoder& items = *page->dictionary_decoder_;
    const bool variable = shape.is_dictionary ? shape.dictionary_variable
                                              : shape.values == LeafShape::Values::kVariable;
    const uint64_t bits = shape.is_dictionary ? shape.dictionary_value_bits : shape.value_bits;
    if (items.variable() != variable || (!variable && items.value_bits() != bits) ||
        shape.values == LeafShape::Values::kPackedStruct) {
      return Corrupt("dictionary encoded as ", EncodingName(layout.dictionary()),
                     " is not of the column's type");
    }
    // Keys may be wanted wider than they are stored.
    const uint64_t key_bits = page->fixed_->value_bits();
    const bool are_keys = key_bits >= 8 && std::has_single_bit(key_bits);
    if (shape.is_dictionary && (!are_keys || key_bits > shape.value_bits)) {
      return Corrupt("dictionary keys of ", page->fixed_->value_bits(), " bits, the type has ",
                     shape.value_bits);
    }
  } else if (shape.is_dictionary) {
    return Corrupt("mini-block page of a dictionary column has no dictionary");
  } else if (shape.values == LeafShape::Values::kVariable) {
    ARROW_ASSIGN_OR_RAISE(page->variable_, VariableDecoder::Make(values));
  } else {
    ARROW_ASSIGN_OR_RAISE(page->fixed_, FixedDecoder::Make(values, shape));
    if (page->fixed_->value_bits() != shape.value_bits) {
      return Corrupt("page holds ", EncodingName(values), ", the column's values have ",
                     shape.value_bits, " bits");
    }
  }
  const uint32_t needed =
      page->fixed_ ? page->fixed_->num_buffers() : page->variable_->num_buffers();
  if (layout.num_buffers() != needed || needed > kMaxValueBuffers) {
    return Corrupt("mini-block page has ", layout.num_buffers(), " value buffers a chunk, ",
                   EncodingName(values), " needs ", needed);
  }
  page->num_buffers_ = needed;
  const bool bare = !has_rep && !page->def_decoder_ && !layout.has_dictionary();
  if (bare && values.has_flat() && shape.dimensions.empty() && shape.value_bits % 8 == 0) {
    page->plain_bytes_ = shape.value_bits / 8;
  }
  page->packed_ = bare && values.has_inline_bitpacking() && shape.dimensions.empty();
  return std::unique_ptr<PageReader>(std::move(page));
}

std::vector<NeededBytes> MiniBlockPage::IndexNeeds() const {
  std::vector<NeededBytes> needs = {{buffers_[0].offset, buffers_[0].size}};
  for (size_t i = 2; i < buffers_.size(); ++i) {
    needs.push_back({buffers_[i].offset, buffers_[i].size});
  }
  return needs;
}

Status MiniBlockPage::LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(LoadChunks(bytes[0]));
  packed_ = packed_ && ChunksArePacked();
  size_t next = 1;
  if (list_dictionary_) {
    ARROW_RETURN_NOT_OK(list_dictionary_->Load(bytes[next++], num_dictionary_items_, pool));
  } else if (dictionary_decoder_) {
    ARROW_ASSIGN_OR_RAISE(DecodedBlock items,
                          dictionary_decoder_->Decode(bytes[next++], num_dictionary_items_, pool));
    dictionary_ = std::make_shared<const DecodedBlock>(std::move(items));
  }
  if (rep_decoder_) return LoadRepetitionIndex(bytes[next]);
  return Status::OK();
}

Status MiniBlockPage::LoadChunks(Bytes words) {
  const uint64_t word_bytes = large_chunks_ ? sizeof(uint32_t) : sizeof(uint16_t);
  if (words.size() % word_bytes != 0) {
    return Corrupt("chunk words of a mini-block page take ", words.size(), " bytes");
  }
  const uint64_t count = words.size() / word_bytes;
  chunk_offset_.reserve(count + 1);
  values_before_.reserve(count + 1);
  chunk_offset_.push_back(0);
  values_before_.push_back(0);
  for (uint64_t chunk = 0; chunk < count; ++chunk) {
    const uint8_t* at = words.data() + chunk * word_bytes;
    const uint64_t word =
        large_chunks_ ? LoadLittleEndian<uint32_t>(at) : LoadLittleEndian<uint16_t>(at);
    const auto log_values = static_cast<uint32_t>(word & 0xf);
    const bool last = chunk + 1 == count;
    uint64_t values = uint64_t{1} << log_values;
    if (last) {
      const uint64_t before = values_before_.back();
      if (num_values_ <= before || num_values_ - before > kMaxChunkValues ||
          (log_values != 0 && num_values_ - before != values)) {
        return Corrupt("last chunk of a mini-block page: ", num_values_, " values in the page, ",
                       before, " before the chunk, 2^", log_values, " in its chunk word");
      }
      values = num_values_ - before;
    } else if (log_values == 0) {
      return Corrupt("chunk ", chunk, " of ", count, " of a mini-block page has no value count");
    } else if (chunk == 0) {
      uniform_log_values_ = log_values;
    } else if (uniform_log_values_ != log_values) {
      uniform_log_values_.reset();
    }
    chunk_offset_.push_back(chunk_offset_.back() + ((word >> 4) + 1) * kChunkAlignment);
    values_before_.push_back(values_before_.back() + values);
  }
  if (chunk_offset_.back() > buffers_[1].size || values_before_.back() != num_values_) {
    return Corrupt("chunks of a mini-block page take ", chunk_offset_.back(), " of ",
                   buffers_[1].size, " bytes and hold ", values_before_.back(), " of ", num_values_,
                   " values");
  }
  return Status::OK();
}

// Two u64 a chunk: rows that finish in it, and levels after the last finished row.
Status MiniBlockPage::LoadRepetitionIndex(Bytes index) {
  constexpr uint64_t kEntryBytes = 16;
  if (index.size() != num_chunks() * kEntryBytes) {
    return Corrupt("repetition index has ", index.size(), " bytes for ", num_chunks(), " chunks");
  }
  rows_before_.push_back(0);
  bool preamble = false;
  for (uint64_t chunk = 0; chunk < num_chunks(); ++chunk) {
    const uint64_t finished = LoadLittleEndian<uint64_t>(index.data() + chunk * kEntryBytes);
    const uint64_t leftover = LoadLittleEndian<uint64_t>(index.data() + chunk * kEntryBytes + 8);
    has_preamble_.push_back(preamble ? 1 : 0);
    const uint64_t started_before = preamble ? 1 : 0;
    if (finished > num_rows_ || (finished == 0 && started_before > 0 && leftover == 0)) {
      return Corrupt("repetition index: chunk ", chunk, " finishes ", finished, " of ", num_rows_,
                     " rows, ", leftover, " levels left over");
    }
    const uint64_t starts = finished + (leftover != 0 ? 1 : 0);
    rows_before_.push_back(rows_before_.back() + starts - std::min(starts, started_before));
    preamble = leftover != 0;
  }
  if (rows_before_.back() != num_rows_ || preamble) {
    return Corrupt("repetition index counts ", rows_before_.back(), " rows, the page has ",
                   num_rows_);
  }
  return Status::OK();
}

bool MiniBlockPage::ChunksArePacked() const {
  for (uint64_t chunk = 0; chunk < num_chunks(); ++chunk) {
    const uint64_t size = chunk_offset_[chunk + 1] - chunk_offset_[chunk];
    if (values_in(chunk) > kBitpackBlock) return false;
    if (!PackedBitWidth(size, shape_->value_bits)) return false;
  }
  return true;
}

uint64_t MiniBlockPage::ChunkOfValue(uint64_t value) const {
  if (uniform_log_values_) return std::min(value >> *uniform_log_values_, num_chunks() - 1);
  auto it = std::upper_bound(values_before_.begin(), values_before_.end(), value);
  return static_cast<uint64_t>(it - values_before_.begin()) - 1;
}

// u16 levels; u16 size of rep and of def, each if present; u16 or u32 size of each value buffer;
// then the buffers. Each part is padded to 8 bytes.
Status MiniBlockPage::ParseChunk(Bytes bytes, Chunk* out) const {
  ByteReader reader(bytes);
  ARROW_ASSIGN_OR_RAISE(out->num_levels, reader.Read<uint16_t>("number of levels of a chunk"));
  uint64_t rep_size = 0;
  uint64_t def_size = 0;
  if (rep_decoder_) {
    ARROW_ASSIGN_OR_RAISE(rep_size, reader.Read<uint16_t>("size of repetition levels"));
  }
  if (def_decoder_) {
    ARROW_ASSIGN_OR_RAISE(def_size, reader.Read<uint16_t>("size of definition levels"));
  }
  uint64_t sizes[kMaxValueBuffers];
  for (uint32_t i = 0; i < num_buffers_; ++i) {
    if (large_chunks_) {
      ARROW_ASSIGN_OR_RAISE(sizes[i], reader.Read<uint32_t>("size of a value buffer"));
    } else {
      ARROW_ASSIGN_OR_RAISE(sizes[i], reader.Read<uint16_t>("size of a value buffer"));
    }
  }
  ARROW_RETURN_NOT_OK(reader.AlignTo(kChunkAlignment, "chunk header"));
  if (rep_decoder_) {
    ARROW_ASSIGN_OR_RAISE(out->rep, reader.ReadBytes(rep_size, "repetition levels"));
    ARROW_RETURN_NOT_OK(reader.AlignTo(kChunkAlignment, "repetition levels"));
  }
  if (def_decoder_) {
    ARROW_ASSIGN_OR_RAISE(out->def, reader.ReadBytes(def_size, "definition levels"));
    ARROW_RETURN_NOT_OK(reader.AlignTo(kChunkAlignment, "definition levels"));
  }
  out->values.resize(num_buffers_);
  for (uint32_t i = 0; i < num_buffers_; ++i) {
    ARROW_ASSIGN_OR_RAISE(out->values[i], reader.ReadBytes(sizes[i], "values of a chunk"));
    ARROW_RETURN_NOT_OK(reader.AlignTo(kChunkAlignment, "values of a chunk"));
  }
  return Status::OK();
}

// Early writers of 2.2 kept the number modulo 2^16; then the runs of levels tell it.
uint64_t MiniBlockPage::CountLevels(const Chunk& chunk) const {
  const uint64_t kept = chunk.num_levels;
  uint64_t proved = rep_decoder_->CountInRuns(chunk.rep);
  if (proved == 0 && def_decoder_) proved = def_decoder_->CountInRuns(chunk.def);
  return proved > kept && (proved - kept) % (uint64_t{1} << 16) == 0 ? proved : kept;
}

Status MiniBlockPage::DecodeValues(const Chunk& chunk, uint32_t num_values,
                                   std::span<const ValueRun> runs, uint64_t at,
                                   LeafSink& sink) const {
  if (list_dictionary_ || (dictionary_ && !shape_->is_dictionary)) {
    return DecodeDictionaryValues(chunk, num_values, runs, at, sink);
  }
  if (variable_) return variable_->Decode(chunk.values, num_values, runs, sink);
  if (fixed_->value_bits() != shape_->value_bits) {
    return DecodeWiderKeys(chunk, num_values, runs, at, sink);
  }
  return fixed_->Decode(chunk.values, num_values, runs, {sink.fixed_data(), at, &sink});
}

Result<MiniBlockPage::DecodedKeys> MiniBlockPage::DecodeKeys(const Chunk& chunk,
                                                             uint32_t num_values,
                                                             std::span<const ValueRun> runs) const {
  uint64_t count = 0;
  for (const ValueRun& run : runs) count += run.count;
  thread_local std::vector<uint64_t> keys;
  if (keys.size() < count) keys.resize(count);
  auto* data = reinterpret_cast<uint8_t*>(keys.data());
  ARROW_RETURN_NOT_OK(fixed_->Decode(chunk.values, num_values, runs, {data, 0, nullptr}));
  return DecodedKeys{data, count};
}

Status MiniBlockPage::DecodeWiderKeys(const Chunk& chunk, uint32_t num_values,
                                      std::span<const ValueRun> runs, uint64_t at,
                                      LeafSink& sink) const {
  ARROW_ASSIGN_OR_RAISE(const DecodedKeys keys, DecodeKeys(chunk, num_values, runs));
  const auto width = static_cast<int32_t>(shape_->value_bits / 8);
  const bool all_below = CopyKeysBelow(dictionary_->num_values, keys.data,
                                       static_cast<int32_t>(fixed_->value_bits() / 8),
                                       static_cast<int64_t>(keys.count), width,
                                       sink.fixed_data() + at * static_cast<uint64_t>(width));
  if (all_below) sink.NoteKeysBelow(keys.count);
  return Status::OK();
}

Status MiniBlockPage::DecodeDictionaryValues(const Chunk& chunk, uint32_t num_values,
                                             std::span<const ValueRun> runs, uint64_t at,
                                             LeafSink& sink) const {
  ARROW_ASSIGN_OR_RAISE(const DecodedKeys keys, DecodeKeys(chunk, num_values, runs));
  if (list_dictionary_) {
    return list_dictionary_->Gather(reinterpret_cast<const uint32_t*>(keys.data), keys.count, at,
                                    sink);
  }
  if (dictionary_->variable) {
    return GatherVariable(*dictionary_, keys.data, fixed_->value_bits(), keys.count, sink);
  }
  return GatherFixed(*dictionary_, keys.data, fixed_->value_bits(), keys.count,
                     {sink.fixed_data(), at, &sink});
}

std::unique_ptr<PageCursor> MiniBlockPage::Start(std::vector<RowRange> rows) const {
  if (rep_decoder_) return std::make_unique<MiniBlockListCursor>(*this, std::move(rows));
  if (plain_bytes_ > 0 && PlainValuesCursor::IsFor(rows)) {
    return std::make_unique<PlainValuesCursor>(*this, std::move(rows));
  }
  if (packed_ && AreScattered(rows)) {
    return MakePackedValuesCursor(*this, shape_->value_bits, std::move(rows));
  }
  return std::make_unique<MiniBlockCursor>(*this, std::move(rows));
}

}  // namespace lance::encoding
