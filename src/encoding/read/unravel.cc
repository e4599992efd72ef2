#include "encoding/read/unravel.h"

#include <bit>
#include <limits>

#include "arrow/buffer.h"
#include "arrow/util/bit_util.h"

namespace lance::encoding {
namespace {

// Collects one bit an item; the buffer is dropped when all bits are set.
class ValidityBuilder {
 public:
  static Result<ValidityBuilder> Make(uint64_t max_length, arrow::MemoryPool* pool) {
    ValidityBuilder out;
    ARROW_ASSIGN_OR_RAISE(
        out.buffer_, arrow::AllocateResizableBuffer(
                         arrow::bit_util::BytesForBits(static_cast<int64_t>(max_length)), pool));
    return out;
  }
  void Append(bool valid) {
    byte_ = static_cast<uint8_t>(byte_ | (valid ? 1 : 0) << (length_ & 7));
    nulls_ += valid ? 0 : 1;
    ++length_;
    if ((length_ & 7) == 0) {
      buffer_->mutable_data()[length_ / 8 - 1] = byte_;
      byte_ = 0;
    }
  }
  void Finish(LayerArrays* out) {
    if ((length_ & 7) != 0) buffer_->mutable_data()[length_ / 8] = byte_;
    out->length = length_;
    out->null_count = nulls_;
    if (nulls_ > 0) out->validity = std::move(buffer_);
  }

 private:
  std::unique_ptr<arrow::ResizableBuffer> buffer_;
  uint64_t length_ = 0;
  int64_t nulls_ = 0;
  uint8_t byte_ = 0;
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

Result<std::vector<LayerArrays>> UnravelWithoutLists(const LeafSink& sink, uint64_t num_rows,
                                                     arrow::MemoryPool* pool) {
  const auto& layers = sink.shape().layers;
  std::vector<LayerArrays> out(layers.size());
  uint64_t length = num_rows * sink.shape().rows_scale();
  if (sink.num_items() != length || sink.num_values() != length) {
    return Corrupt("column has ", sink.num_items(), " levels and ", sink.num_values(),
                   " values, expected ", length);
  }
  const uint16_t* def = sink.has_def() ? sink.def_data() : nullptr;
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

// The levels that are left for the layers further out.
struct Levels {
  std::vector<uint16_t> rep;
  std::vector<uint16_t> def;
};

class ListUnraveller {
 public:
  ListUnraveller(const LeafSink& sink, arrow::MemoryPool* pool) : pool_(pool) {
    const uint64_t count = sink.num_items();
    levels_.rep.assign(sink.rep_data(), sink.rep_data() + count);
    if (sink.has_def()) {
      levels_.def.assign(sink.def_data(), sink.def_data() + count);
    } else {
      levels_.def.assign(count, 0);
    }
    // For each definition number, the list layers at or inside its layer.
    lists_within_.push_back(0);
    uint16_t lists = 0;
    const auto& layers = sink.shape().layers;
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
      if (layer->kind == LayerKind::kList) {
        ++lists;
        lists_within_.push_back(lists);
      }
      lists_within_.push_back(lists);
    }
  }

  Result<LayerArrays> Item() {
    ARROW_ASSIGN_OR_RAISE(auto validity, ValidityBuilder::Make(levels_.def.size(), pool_));
    for (uint16_t def : levels_.def) {
      if (lists_within_[def] <= depth_) validity.Append(def <= consumed_);
    }
    LayerArrays out;
    validity.Finish(&out);
    ++consumed_;
    return out;
  }

  template <typename Offset>
  Result<LayerArrays> List() {
    const uint16_t inside = consumed_;
    const uint16_t empty = static_cast<uint16_t>(consumed_ + 2);
    consumed_ = static_cast<uint16_t>(consumed_ + 2);
    ++depth_;
    const uint64_t count = levels_.rep.size();
    if (count > static_cast<uint64_t>(std::numeric_limits<Offset>::max())) {
      return MakeError(ErrorCode::kOverBudget,
                       "a batch of a list column has more items than its offsets can address; "
                       "read fewer rows at a time");
    }
    ARROW_ASSIGN_OR_RAISE(auto validity, ValidityBuilder::Make(count, pool_));
    ARROW_ASSIGN_OR_RAISE(
        auto offsets,
        arrow::AllocateResizableBuffer(static_cast<int64_t>((count + 1) * sizeof(Offset)), pool_));
    auto* offset = reinterpret_cast<Offset*>(offsets->mutable_data());
    uint64_t lists = 0;
    uint64_t children = 0;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; ++i) {
      const uint16_t rep = levels_.rep[i];
      const uint16_t def = levels_.def[i];
      if (rep == 0) {
        if (lists == 0 || def > inside) return Contradiction();
        ++children;
        continue;
      }
      levels_.rep[kept] = static_cast<uint16_t>(rep - 1);
      levels_.def[kept] = def;
      ++kept;
      if (lists_within_[def] > depth_) continue;
      offset[lists++] = static_cast<Offset>(children);
      if (def <= inside) {
        validity.Append(true);
        ++children;
      } else {
        validity.Append(def == empty);
      }
    }
    offset[lists] = static_cast<Offset>(children);
    levels_.rep.resize(kept);
    levels_.def.resize(kept);
    LayerArrays out;
    validity.Finish(&out);
    ARROW_RETURN_NOT_OK(offsets->Resize(static_cast<int64_t>((lists + 1) * sizeof(Offset)), false));
    out.offsets = std::move(offsets);
    return out;
  }

 private:
  static Status Contradiction() {
    return Corrupt(
        "levels of a list column contradict each other: an item continues a list "
        "that is null, empty or absent");
  }

  arrow::MemoryPool* pool_;
  Levels levels_;
  std::vector<uint16_t> lists_within_;
  uint16_t consumed_ = 0;
  uint16_t depth_ = 0;
};

}  // namespace

Result<std::vector<LayerArrays>> Unravel(const LeafSink& sink, uint64_t num_rows,
                                         arrow::MemoryPool* pool) {
  const LeafShape& shape = sink.shape();
  if (!shape.has_lists()) return UnravelWithoutLists(sink, num_rows, pool);
  std::vector<LayerArrays> out(shape.layers.size());
  ListUnraveller unraveller(sink, pool);
  for (size_t i = shape.layers.size(); i-- > 0;) {
    const Layer& layer = shape.layers[i];
    if (layer.kind == LayerKind::kItem) {
      ARROW_ASSIGN_OR_RAISE(out[i], unraveller.Item());
    } else if (layer.kind == LayerKind::kFixedSizeList) {
      return Unsupported("fixed-size lists of struct together with lists");
    } else if (layer.large_offsets) {
      ARROW_ASSIGN_OR_RAISE(out[i], unraveller.List<int64_t>());
    } else {
      ARROW_ASSIGN_OR_RAISE(out[i], unraveller.List<int32_t>());
    }
  }
  if (out.front().length != num_rows || out.back().length != sink.num_values()) {
    return Corrupt("levels of a list column give ", out.front().length, " rows and ",
                   out.back().length, " values, expected ", num_rows, " and ", sink.num_values());
  }
  return out;
}

}  // namespace lance::encoding
