#include "encoding/read/packed_values_cursor.h"

#include <algorithm>

namespace lance::encoding {
namespace {

/// The number of levels, which is 0, and the size of the values, padded.
constexpr uint64_t kHeaderBytes = 8;
/// A word with the bit width comes first; the whole is padded as if it had 8 bytes.
constexpr uint64_t kPaddedWordBytes = 8;
/// Values that stand together, on average; the words of many cost more to list than to read.
constexpr uint64_t kFewValues = 4;

}  // namespace

bool PackedValuesCursor::IsFor(const std::vector<RowRange>& rows) {
  return CountRows(rows) <= kFewValues * rows.size();
}

std::optional<uint32_t> PackedValuesCursor::BitWidth(uint64_t size, uint64_t value_bits) {
  constexpr uint64_t kOther = kHeaderBytes + kPaddedWordBytes;
  if (size < kOther || (size - kOther) % kPackedStride != 0) return std::nullopt;
  const uint64_t width = (size - kOther) / kPackedStride;
  if (width > value_bits) return std::nullopt;
  return static_cast<uint32_t>(width);
}

Status PackedValuesCursor::Needs(LeafSink&, uint64_t, std::vector<NeededBytes>* needs) {
  if (placed_) return Status::OK();
  placed_ = true;
  switch (page_.shape_->value_bits) {
    case 8:
      Place<uint8_t>(needs);
      break;
    case 16:
      Place<uint16_t>(needs);
      break;
    case 32:
      Place<uint32_t>(needs);
      break;
    default:
      Place<uint64_t>(needs);
  }
  return Status::OK();
}

template <typename T>
void PackedValuesCursor::Place(std::vector<NeededBytes>* needs) {
  std::erase_if(rows_, [](const RowRange& range) { return range.count == 0; });
  values_.reserve(CountRows(rows_));
  auto range = rows_.begin();
  uint64_t row = rows_.empty() ? 0 : range->start;
  while (range != rows_.end()) {
    const uint64_t chunk = page_.ChunkOfValue(row);
    const uint64_t begin = page_.chunk_offset_[chunk];
    // Loading the page has checked that there is one.
    const uint32_t width = *BitWidth(page_.chunk_offset_[chunk + 1] - begin, sizeof(T) * 8);
    const size_t first = values_.size();
    while (range != rows_.end() && row < page_.values_before_[chunk + 1]) {
      const auto index = static_cast<uint32_t>(row - page_.values_before_[chunk]);
      values_.push_back({width == 0 ? PackedPlace{} : PlaceOfPacked<T>(width, index), width});
      if (++row < range->end()) continue;
      if (++range != rows_.end()) row = range->start;
    }
    const uint64_t block = page_.buffers_[1].offset + begin + kHeaderBytes + sizeof(T);
    if (width > 0) Need<T>(block, values_.size() - first, needs);
  }
}

template <typename T>
void PackedValuesCursor::Need(uint64_t block, size_t count, std::vector<NeededBytes>* needs) {
  const std::span<Value> values(values_.end() - static_cast<ptrdiff_t>(count), count);
  const uint64_t block_bytes = uint64_t{kPackedStride} * values[0].width;
  uint64_t word_bytes = 0;
  for (const Value& value : values) word_bytes += value.place.size(sizeof(T));
  if (word_bytes < block_bytes) {
    for (Value& value : values) {
      value.need = static_cast<uint32_t>(needs->size());
      needs->push_back({block + value.place.offset, value.place.size(sizeof(T))});
      value.place.offset = 0;
    }
    return;
  }
  for (Value& value : values) value.need = static_cast<uint32_t>(needs->size());
  needs->push_back({block, block_bytes});
}

Status PackedValuesCursor::Feed(std::span<const Bytes> bytes) {
  bytes_.assign(bytes.begin(), bytes.end());
  return Status::OK();
}

Status PackedValuesCursor::DecodeInto(LeafSink& sink, uint64_t at) {
  uint8_t* out = sink.fixed_data() + at * (page_.shape_->value_bits / 8);
  switch (page_.shape_->value_bits) {
    case 8:
      Unpack<uint8_t>(out);
      break;
    case 16:
      Unpack<uint16_t>(out);
      break;
    case 32:
      Unpack<uint32_t>(out);
      break;
    default:
      Unpack<uint64_t>(out);
  }
  return sink.AppendLevels(nullptr, nullptr, page_.levels_.to_canonical, values_.size());
}

template <typename T>
void PackedValuesCursor::Unpack(uint8_t* out) const {
  for (const Value& value : values_) {
    T number = 0;
    if (value.width > 0) {
      const uint8_t* word = bytes_[value.need].data() + value.place.offset;
      number = UnpackAt<T>(value.width, value.place, word);
    }
    StoreLittleEndian(number, out);
    out += sizeof(T);
  }
}

}  // namespace lance::encoding
