#include "encoding/read/packed_values_cursor.h"

#include <algorithm>
#include <span>
#include <utility>

#include "encoding/codec/bitpack.h"

namespace lance::encoding {
namespace {

/// A word with the bit width comes first; the whole is padded as if it had 8 bytes.
constexpr uint64_t kPaddedWordBytes = 8;
/// Values that stand together, on average; the words of many cost more to list than to read.
constexpr uint64_t kFewValues = 4;

}  // namespace

/// Of values of type T.
template <typename T>
class PackedValuesCursor final : public PageCursor {
 public:
  PackedValuesCursor(const MiniBlockPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {}
  Status Needs(LeafSink& sink, uint64_t at, std::vector<NeededBytes>* needs) override;
  Status Feed(std::span<const Bytes> bytes) override {
    bytes_.assign(bytes.begin(), bytes.end());
    return Status::OK();
  }
  Status DecodeInto(LeafSink& sink, uint64_t at) override;

 private:
  struct Value {
    /// In what is read for it.
    PackedPlace place;
    uint32_t width = 0;
    uint32_t need = 0;
  };
  // What to read for the values of a chunk, the last `count`; `block` is where its words begin.
  void Need(uint64_t block, size_t count, std::vector<NeededBytes>* needs);

  const MiniBlockPage& page_;
  std::vector<RowRange> rows_;
  std::vector<Value> values_;
  std::vector<Bytes> bytes_;
  // Where no value has any bits, nothing is asked for and nothing fed.
  bool placed_ = false;
};

template <typename T>
Status PackedValuesCursor<T>::Needs(LeafSink&, uint64_t, std::vector<NeededBytes>* needs) {
  if (placed_) return Status::OK();
  placed_ = true;
  std::erase_if(rows_, [](const RowRange& range) { return range.count == 0; });
  values_.reserve(CountRows(rows_));
  auto range = rows_.begin();
  uint64_t row = rows_.empty() ? 0 : range->start;
  while (range != rows_.end()) {
    const uint64_t chunk = page_.ChunkOfValue(row);
    const uint64_t begin = page_.chunk_offset_[chunk];
    // Loading the page has checked that there is one.
    const uint32_t width = *PackedBitWidth(page_.chunk_offset_[chunk + 1] - begin, sizeof(T) * 8);
    const size_t first = values_.size();
    while (range != rows_.end() && row < page_.values_before_[chunk + 1]) {
      const auto index = static_cast<uint32_t>(row - page_.values_before_[chunk]);
      values_.push_back({width == 0 ? PackedPlace{} : PlaceOfPacked<T>(width, index), width});
      if (++row < range->end()) continue;
      if (++range != rows_.end()) row = range->start;
    }
    const uint64_t block = page_.buffers_[1].offset + begin + kBareChunkHeaderBytes + sizeof(T);
    if (width > 0) Need(block, values_.size() - first, needs);
  }
  return Status::OK();
}

template <typename T>
void PackedValuesCursor<T>::Need(uint64_t block, size_t count, std::vector<NeededBytes>* needs) {
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

template <typename T>
Status PackedValuesCursor<T>::DecodeInto(LeafSink& sink, uint64_t at) {
  uint8_t* out = sink.fixed_data() + at * sizeof(T);
  for (const Value& value : values_) {
    T number = 0;
    if (value.width > 0) {
      const uint8_t* word = bytes_[value.need].data() + value.place.offset;
      number = UnpackAt<T>(value.width, value.place, word);
    }
    StoreLittleEndian(number, out);
    out += sizeof(T);
  }
  return sink.AppendLevels(nullptr, nullptr, page_.levels_.to_canonical, values_.size());
}

bool AreScattered(const std::vector<RowRange>& rows) {
  return CountRows(rows) <= kFewValues * rows.size();
}

std::optional<uint32_t> PackedBitWidth(uint64_t size, uint64_t value_bits) {
  constexpr uint64_t kOther = kBareChunkHeaderBytes + kPaddedWordBytes;
  if (size < kOther || (size - kOther) % kPackedStride != 0) return std::nullopt;
  const uint64_t width = (size - kOther) / kPackedStride;
  if (width > value_bits) return std::nullopt;
  return static_cast<uint32_t>(width);
}

std::unique_ptr<PageCursor> MakePackedValuesCursor(const MiniBlockPage& page, uint64_t value_bits,
                                                   std::vector<RowRange> rows) {
  switch (value_bits) {
    case 8:
      return std::make_unique<PackedValuesCursor<uint8_t>>(page, std::move(rows));
    case 16:
      return std::make_unique<PackedValuesCursor<uint16_t>>(page, std::move(rows));
    case 32:
      return std::make_unique<PackedValuesCursor<uint32_t>>(page, std::move(rows));
    default:
      return std::make_unique<PackedValuesCursor<uint64_t>>(page, std::move(rows));
  }
}

}  // namespace lance::encoding
