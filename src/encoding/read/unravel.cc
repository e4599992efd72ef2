#include "encoding/read/unravel.h"

#include <bit>
#include <cstring>
#include <limits>
#include <span>

#include "arrow/buffer.h"
#include "arrow/util/bit_util.h"
#include "encoding/read/bit_copy.h"
#include "encoding/read/level_counts.h"

namespace lance::encoding {
namespace {

Status TooManyItems() {
  return MakeError(ErrorCode::kOverBudget,
                   "a batch of a list column has more items than its offsets can address; "
                   "read fewer rows at a time");
}

// Collects bits of which some count: a word is stored when it is full.
class BitPacker {
 public:
  static Result<BitPacker> Make(uint64_t max_length, arrow::MemoryPool* pool) {
    BitPacker out;
    ARROW_ASSIGN_OR_RAISE(
        out.buffer_, arrow::AllocateResizableBuffer(
                         static_cast<int64_t>((max_length / 64 + 1) * sizeof(uint64_t)), pool));
    return out;
  }
  /// Both are 0 or 1; `bit` must be 0 when it does not count.
  void Append(uint64_t bit, uint64_t counts) {
    word_ |= bit << (length_ & 63);
    set_ += bit;
    length_ += counts;
    if (((length_ & 63) | (counts ^ 1)) == 0) Store(length_ / 64 - 1);
  }
  /// The buffer is dropped when all bits are set.
  void Finish(LayerArrays* out) {
    if ((length_ & 63) != 0) Store(length_ / 64);
    out->length = length_;
    out->null_count = static_cast<int64_t>(length_ - set_);
    if (out->null_count > 0) out->validity = std::move(buffer_);
  }

 private:
  void Store(uint64_t index) {
    std::memcpy(buffer_->mutable_data() + index * sizeof(word_), &word_, sizeof(word_));
    word_ = 0;
  }

  std::unique_ptr<arrow::ResizableBuffer> buffer_;
  uint64_t length_ = 0;
  uint64_t set_ = 0;
  uint64_t word_ = 0;
};

// def[i × stride] <= limit, one bit an item.
Result<LayerArrays> ItemsWithoutLists(const uint16_t* def, uint64_t length, uint64_t stride,
                                      uint16_t limit, arrow::MemoryPool* pool) {
  LayerArrays out;
  out.length = length;
  if (def == nullptr) return out;
  ARROW_ASSIGN_OR_RAISE(
      auto buffer,
      arrow::AllocateBuffer(arrow::bit_util::BytesForBits(static_cast<int64_t>(length)), pool));
  uint8_t* bits = buffer->mutable_data();
  int64_t valid = 0;
  uint64_t i = 0;
  for (; i + 8 <= length; i += 8) {
    uint32_t byte = 0;
    for (uint32_t bit = 0; bit < 8; ++bit) {
      byte |= static_cast<uint32_t>(def[(i + bit) * stride] <= limit) << bit;
    }
    bits[i / 8] = static_cast<uint8_t>(byte);
    valid += std::popcount(byte);
  }
  if (i < length) {
    uint32_t byte = 0;
    for (uint32_t bit = 0; i + bit < length; ++bit) {
      byte |= static_cast<uint32_t>(def[(i + bit) * stride] <= limit) << bit;
    }
    bits[i / 8] = static_cast<uint8_t>(byte);
    valid += std::popcount(byte);
  }
  out.null_count = static_cast<int64_t>(length) - valid;
  if (out.null_count > 0) out.validity = std::move(buffer);
  return out;
}

// Items [begin, end) of a sink.
struct Items {
  uint64_t begin;
  uint64_t end;
  uint64_t count() const { return end - begin; }
};

Result<std::vector<LayerArrays>> UnravelWithoutLists(const LeafSink& sink, Items items,
                                                     arrow::MemoryPool* pool) {
  const auto& layers = sink.shape().layers;
  std::vector<LayerArrays> out(layers.size());
  uint64_t length = items.count();
  const uint16_t* def = sink.has_def() ? sink.def_data() + items.begin : nullptr;
  uint64_t stride = 1;
  for (size_t i = 0; i < layers.size(); ++i) {
    const size_t layer = layers.size() - 1 - i;
    if (layers[layer].kind == LayerKind::kFixedSizeList) {
      length /= layers[layer].dimension;
      stride *= layers[layer].dimension;
    }
    ARROW_ASSIGN_OR_RAISE(out[layer],
                          ItemsWithoutLists(def, length, stride, static_cast<uint16_t>(i), pool));
  }
  return out;
}

// Goes through the layers of a column with lists, innermost first. The levels are those of the
// sink until a list layer leaves fewer of them for the layers further out.
class ListUnraveller {
 public:
  ListUnraveller(const LeafSink& sink, Items items, arrow::MemoryPool* pool)
      : pool_(pool),
        rep_(sink.rep_data() + items.begin),
        def_(sink.has_def() ? sink.def_data() + items.begin : nullptr),
        count_(items.count()) {
    // By the number of list layers around, the last definition number of what is inside of them.
    const auto& layers = sink.shape().layers;
    uint16_t number = 0;
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
      if (layer->kind == LayerKind::kList) {
        last_number_.push_back(number);
        ++number;
      }
      ++number;
    }
    last_number_.push_back(number);
  }

  Result<LayerArrays> Item() {
    const uint16_t limit = consumed_++;
    const uint16_t last = last_number_[depth_];
    if (def_ == nullptr || LargestLevel(def_, count_) <= last) {
      return ItemsWithoutLists(def_, count_, 1, limit, pool_);
    }
    if (!HasLevel(def_, count_, static_cast<uint16_t>(limit + 1))) {
      LayerArrays out;
      out.length = CountLevelsUpTo(def_, count_, last);
      return out;
    }
    ARROW_ASSIGN_OR_RAISE(auto bits, BitPacker::Make(count_, pool_));
    for (uint64_t i = 0; i < count_; ++i) {
      bits.Append(static_cast<uint64_t>(def_[i] <= limit), static_cast<uint64_t>(def_[i] <= last));
    }
    LayerArrays out;
    bits.Finish(&out);
    return out;
  }

  /// `outermost`: no layer further out needs levels.
  template <typename Offset>
  Result<LayerArrays> List(bool outermost) {
    if (count_ > static_cast<uint64_t>(std::numeric_limits<Offset>::max())) {
      return TooManyItems();
    }
    ARROW_ASSIGN_OR_RAISE(
        auto offsets,
        arrow::AllocateResizableBuffer(static_cast<int64_t>((count_ + 1) * sizeof(Offset)), pool_));
    auto* offset = reinterpret_cast<Offset*>(offsets->mutable_data());
    LayerArrays out;
    if (def_ == nullptr) {
      ARROW_RETURN_NOT_OK(OffsetsOfFullLists(offset, &out));
    } else {
      ARROW_RETURN_NOT_OK(OffsetsOfLists(offset, &out));
    }
    ARROW_RETURN_NOT_OK(
        offsets->Resize(static_cast<int64_t>((out.length + 1) * sizeof(Offset)), false));
    out.offsets = std::move(offsets);
    consumed_ = static_cast<uint16_t>(consumed_ + 2);
    ++depth_;
    if (!outermost) KeepListStarts();
    return out;
  }

 private:
  // No definition levels: no list is null or empty, every level is an item.
  template <typename Offset>
  Status OffsetsOfFullLists(Offset* offset, LayerArrays* out) const {
    if (count_ > 0 && rep_[0] == 0) return Contradiction();
    uint64_t lists = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      offset[lists] = static_cast<Offset>(i);
      lists += rep_[i] != 0 ? 1 : 0;
    }
    offset[lists] = static_cast<Offset>(count_);
    out->length = lists;
    return Status::OK();
  }

  // What the definition levels of a list layer hold, found in vectors.
  struct ListLevels {
    bool nulls = false;          // null lists
    bool outside = false;        // lists that are absent: something further out is null or empty
    bool contradiction = false;  // an item continues a list that has none
  };

  ListLevels LookAtLevels() const {
    const uint16_t inside = consumed_;
    const uint16_t last = last_number_[depth_ + 1];
    uint16_t nulls = 0;
    uint16_t outside = 0;
    uint16_t contradictions = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      nulls |= static_cast<uint16_t>(def_[i] == inside + 1 ? 1 : 0);
      outside |= static_cast<uint16_t>(def_[i] > last ? 1 : 0);
      contradictions |= static_cast<uint16_t>(rep_[i] == 0 && def_[i] > inside ? 1 : 0);
    }
    return {nulls != 0, outside != 0, contradictions != 0};
  }

  template <typename Offset>
  Status OffsetsOfLists(Offset* offset, LayerArrays* out) const {
    const ListLevels levels = LookAtLevels();
    if (levels.contradiction) return Contradiction();
    const uint16_t inside = consumed_;
    const uint16_t last = last_number_[depth_ + 1];
    if (levels.outside) {
      // The first item there is must begin a list.
      uint64_t first = 0;
      while (first < count_ && def_[first] > last) ++first;
      if (first < count_ && rep_[first] == 0) return Contradiction();
    } else if (count_ > 0 && rep_[0] == 0) {
      return Contradiction();
    }
    uint64_t lists = 0;
    uint64_t children = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      offset[lists] = static_cast<Offset>(children);
      // Bits, not branches: which levels start lists can't be predicted.
      lists += static_cast<uint64_t>(rep_[i] != 0) & static_cast<uint64_t>(def_[i] <= last);
      children += static_cast<uint64_t>(def_[i] <= inside);
    }
    offset[lists] = static_cast<Offset>(children);
    out->length = lists;
    return levels.nulls ? ListValidity(out) : Status::OK();
  }

  Status ListValidity(LayerArrays* out) const {
    const auto null = static_cast<uint16_t>(consumed_ + 1);
    const uint16_t last = last_number_[depth_ + 1];
    ARROW_ASSIGN_OR_RAISE(auto bits, BitPacker::Make(out->length, pool_));
    for (uint64_t i = 0; i < count_; ++i) {
      const uint64_t counts =
          static_cast<uint64_t>(rep_[i] != 0) & static_cast<uint64_t>(def_[i] <= last);
      bits.Append(counts & static_cast<uint64_t>(def_[i] != null), counts);
    }
    bits.Finish(out);
    return Status::OK();
  }

  void KeepListStarts() {
    // In place from the second time on: nothing is written before it was read.
    kept_rep_.resize(count_);
    if (def_ != nullptr) kept_def_.resize(count_);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      const uint16_t rep = rep_[i];
      kept_rep_[kept] = static_cast<uint16_t>(rep - 1);
      if (def_ != nullptr) kept_def_[kept] = def_[i];
      kept += rep != 0 ? 1 : 0;
    }
    rep_ = kept_rep_.data();
    if (def_ != nullptr) def_ = kept_def_.data();
    count_ = kept;
  }

  static Status Contradiction() {
    return Corrupt(
        "levels of a list column contradict each other: an item continues a list "
        "that is null, empty or absent");
  }

  arrow::MemoryPool* pool_;
  const uint16_t* rep_;
  /// Null: all zero.
  const uint16_t* def_;
  uint64_t count_;
  std::vector<uint16_t> kept_rep_;
  std::vector<uint16_t> kept_def_;
  std::vector<uint16_t> last_number_;
  uint16_t consumed_ = 0;
  uint16_t depth_ = 0;
};

Result<std::vector<LayerArrays>> UnravelItems(const LeafSink& sink, Items items,
                                              arrow::MemoryPool* pool) {
  const LeafShape& shape = sink.shape();
  if (!shape.has_lists()) return UnravelWithoutLists(sink, items, pool);
  std::vector<LayerArrays> out(shape.layers.size());
  ListUnraveller unraveller(sink, items, pool);
  for (size_t i = shape.layers.size(); i-- > 0;) {
    const Layer& layer = shape.layers[i];
    if (layer.kind == LayerKind::kItem) {
      ARROW_ASSIGN_OR_RAISE(out[i], unraveller.Item());
    } else if (layer.kind == LayerKind::kFixedSizeList) {
      return Unsupported("fixed-size lists of struct together with lists");
    } else if (layer.large_offsets) {
      ARROW_ASSIGN_OR_RAISE(out[i], unraveller.List<int64_t>(i == 0));
    } else {
      ARROW_ASSIGN_OR_RAISE(out[i], unraveller.List<int32_t>(i == 0));
    }
  }
  return out;
}

template <typename Offset>
Result<std::shared_ptr<arrow::Buffer>> JoinOffsets(std::span<const LayerArrays> parts,
                                                   uint64_t length, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::Buffer> buffer,
      arrow::AllocateBuffer(static_cast<int64_t>((length + 1) * sizeof(Offset)), pool));
  auto* out = buffer->mutable_data_as<Offset>();
  uint64_t base = 0;
  *out++ = 0;
  for (const LayerArrays& part : parts) {
    const auto* offsets = reinterpret_cast<const Offset*>(part.offsets->data());
    const uint64_t end = base + static_cast<uint64_t>(offsets[part.length]);
    if (end > static_cast<uint64_t>(std::numeric_limits<Offset>::max())) return TooManyItems();
    for (uint64_t i = 1; i <= part.length; ++i) {
      *out++ = static_cast<Offset>(offsets[i] + static_cast<Offset>(base));
    }
    base = end;
  }
  return buffer;
}

// One layer from those of several runs of rows.
Result<LayerArrays> JoinLayer(std::span<const LayerArrays> parts, const Layer& layer,
                              arrow::MemoryPool* pool) {
  LayerArrays out;
  for (const LayerArrays& part : parts) {
    out.length += part.length;
    out.null_count += part.null_count;
  }
  if (out.null_count > 0) {
    ARROW_ASSIGN_OR_RAISE(out.validity,
                          arrow::AllocateBitmap(static_cast<int64_t>(out.length), pool));
    uint64_t at = 0;
    for (const LayerArrays& part : parts) {
      if (part.validity != nullptr) {
        CopyBits(part.validity->data(), 0, part.length, out.validity->mutable_data(), at);
      } else {
        arrow::bit_util::SetBitsTo(out.validity->mutable_data(), static_cast<int64_t>(at),
                                   static_cast<int64_t>(part.length), true);
      }
      at += part.length;
    }
  }
  if (layer.kind != LayerKind::kList) return out;
  if (layer.large_offsets) {
    ARROW_ASSIGN_OR_RAISE(out.offsets, JoinOffsets<int64_t>(parts, out.length, pool));
  } else {
    ARROW_ASSIGN_OR_RAISE(out.offsets, JoinOffsets<int32_t>(parts, out.length, pool));
  }
  return out;
}

// The layers of all runs of rows in order: from levels, or ready.
Result<std::vector<std::vector<LayerArrays>>> LayersOfRuns(const LeafSink& sink,
                                                           arrow::MemoryPool* pool) {
  std::vector<std::vector<LayerArrays>> runs;
  uint64_t done = 0;
  auto unravel = [&](uint64_t end) -> Status {
    if (end == done) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto layers, UnravelItems(sink, {done, end}, pool));
    runs.push_back(std::move(layers));
    done = end;
    return Status::OK();
  };
  for (const LeafSink::ReadyLayers& ready : sink.ready_layers()) {
    ARROW_RETURN_NOT_OK(unravel(ready.items_before));
    runs.push_back(ready.layers);
  }
  ARROW_RETURN_NOT_OK(unravel(sink.num_items()));
  return runs;
}

}  // namespace

Result<std::vector<LayerArrays>> Unravel(const LeafSink& sink, uint64_t num_rows,
                                         arrow::MemoryPool* pool) {
  const LeafShape& shape = sink.shape();
  std::vector<LayerArrays> out;
  if (sink.ready_layers().empty()) {
    ARROW_ASSIGN_OR_RAISE(out, UnravelItems(sink, {0, sink.num_items()}, pool));
  } else {
    ARROW_ASSIGN_OR_RAISE(auto runs, LayersOfRuns(sink, pool));
    std::vector<LayerArrays> parts(runs.size());
    for (size_t i = 0; i < shape.layers.size(); ++i) {
      for (size_t run = 0; run < runs.size(); ++run) parts[run] = std::move(runs[run][i]);
      if (parts.size() == 1) {
        out.push_back(std::move(parts[0]));
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(LayerArrays joined, JoinLayer(parts, shape.layers[i], pool));
      out.push_back(std::move(joined));
    }
  }
  if (out.front().length != num_rows || out.back().length != sink.num_values()) {
    return Corrupt("levels of a column give ", out.front().length, " rows and ", out.back().length,
                   " values, expected ", num_rows, " and ", sink.num_values());
  }
  return out;
}

}  // namespace lance::encoding
