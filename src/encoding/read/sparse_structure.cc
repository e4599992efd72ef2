#include "encoding/read/sparse_structure.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "arrow/buffer.h"
#include "arrow/util/bit_util.h"
#include "encodings23.pb.h"

namespace lance::encoding {
namespace {

// Rows and slots stay far from overflow.
constexpr uint64_t kMaxSlots = uint64_t{1} << 48;

Status CheckAscending(const std::vector<uint64_t>& positions, uint64_t num_slots) {
  for (uint64_t i = 0; i < positions.size(); ++i) {
    if (positions[i] >= num_slots || (i > 0 && positions[i] <= positions[i - 1])) {
      return Corrupt("sparse page: position ", positions[i], " of ", num_slots,
                     " slots is out of order");
    }
  }
  return Status::OK();
}

// Adds a range; one that continues the last extends it.
void Add(uint64_t begin, uint64_t end, std::vector<RowRange>* ranges) {
  if (begin >= end) return;
  if (!ranges->empty() && ranges->back().end() == begin) {
    ranges->back().count += end - begin;
  } else {
    ranges->push_back({begin, end - begin});
  }
}

template <typename Offset>
void FillOffsets(const std::vector<uint64_t>& non_empty, const std::vector<uint64_t>& child_starts,
                 std::span<const RowRange> slots, Offset* out) {
  uint64_t children = 0;
  *out++ = 0;
  for (const RowRange& range : slots) {
    auto at = std::lower_bound(non_empty.begin(), non_empty.end(), range.start);
    auto next = static_cast<size_t>(at - non_empty.begin());
    for (uint64_t slot = range.start; slot < range.end(); ++slot) {
      if (next < non_empty.size() && non_empty[next] == slot) {
        children += child_starts[next + 1] - child_starts[next];
        ++next;
      }
      *out++ = static_cast<Offset>(children);
    }
  }
}

}  // namespace

Result<SparseStructure::Validity> SparseStructure::MakeValidity(
    const encodings23::SparseValiditySet& set) {
  Validity out;
  if (set.meaning() != encodings23::SparseValiditySet::NULL_POSITIONS &&
      set.meaning() != encodings23::SparseValiditySet::VALID_POSITIONS) {
    return Corrupt("sparse page: validity of unknown meaning ", static_cast<int>(set.meaning()));
  }
  out.lists_valid = set.meaning() == encodings23::SparseValiditySet::VALID_POSITIONS;
  out.num_positions = set.num_positions();
  ARROW_ASSIGN_OR_RAISE(out.decoder, SequenceDecoder::Make(set.positions()));
  return out;
}

Result<SparseStructure::SparseLayer> SparseStructure::MakeLayer(
    const encodings23::SparseStructuralLayer& wire, const Layer& layer) {
  const bool fits =
      layer.kind == LayerKind::kItem ? wire.has_validity()
      : layer.kind == LayerKind::kList
          ? wire.has_list()
          : wire.has_fixed_size_list() && wire.fixed_size_list().dimension() == layer.dimension;
  if (!fits) return Corrupt("layer of a sparse page is not of the column's type");
  SparseLayer out;
  out.kind = layer.kind;
  out.dimension = layer.dimension;
  out.large_offsets = layer.large_offsets;
  if (layer.kind == LayerKind::kList) {
    const encodings23::SparseListLayer& list = wire.list();
    out.num_children = list.num_child_slots();
    out.num_non_empty = list.num_non_empty_positions();
    ARROW_ASSIGN_OR_RAISE(out.position_decoder, SequenceDecoder::Make(list.non_empty_positions()));
    ARROW_ASSIGN_OR_RAISE(out.count_decoder, SequenceDecoder::Make(list.counts()));
  }
  ARROW_ASSIGN_OR_RAISE(out.validity, MakeValidity(layer.kind == LayerKind::kItem ? wire.validity()
                                                   : layer.kind == LayerKind::kList
                                                       ? wire.list().validity()
                                                       : wire.fixed_size_list().validity()));
  return out;
}

Result<SparseStructure> SparseStructure::Make(const encodings23::SparseStructure& structure,
                                              const LeafShape& shape, uint64_t num_rows) {
  if (static_cast<size_t>(structure.layers_size()) != shape.layers.size()) {
    return Corrupt("sparse page has ", structure.layers_size(), " layers, the column's type has ",
                   shape.layers.size());
  }
  if (num_rows % shape.rows_scale() != 0) {
    return Corrupt("sparse page has ", num_rows,
                   " rows, which the dimensions of its fixed-size lists don't divide");
  }
  SparseStructure out;
  uint64_t slots = num_rows / shape.rows_scale();
  for (size_t i = 0; i < shape.layers.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(SparseLayer layer,
                          MakeLayer(structure.layers(static_cast<int>(i)), shape.layers[i]));
    layer.num_slots = slots;
    if (layer.kind == LayerKind::kList) {
      slots = layer.num_children;
      out.num_payloads_ += layer.position_decoder->has_payload() ? 1 : 0;
      out.num_payloads_ += layer.count_decoder->has_payload() ? 1 : 0;
    } else if (layer.kind == LayerKind::kFixedSizeList && slots <= kMaxSlots) {
      slots = slots > kMaxSlots / layer.dimension ? kMaxSlots + 1 : slots * layer.dimension;
    }
    if (slots > kMaxSlots) return Corrupt("sparse page claims more than 2^48 slots");
    out.num_payloads_ += layer.validity.decoder->has_payload() ? 1 : 0;
    out.layers_.push_back(std::move(layer));
  }
  out.num_slots_ = slots;
  return out;
}

Status SparseStructure::LoadLayer(SparseLayer* layer, std::span<const Bytes>* payloads) {
  auto decode = [&](const SequenceDecoder& decoder,
                    uint64_t count) -> Result<std::vector<uint64_t>> {
    Bytes payload;
    if (decoder.has_payload()) {
      payload = payloads->front();
      *payloads = payloads->subspan(1);
    }
    return decoder.Decode(payload, count);
  };
  if (layer->kind == LayerKind::kList) {
    ARROW_ASSIGN_OR_RAISE(layer->non_empty, decode(*layer->position_decoder, layer->num_non_empty));
    ARROW_ASSIGN_OR_RAISE(auto counts, decode(*layer->count_decoder, layer->num_non_empty));
    ARROW_RETURN_NOT_OK(CheckAscending(layer->non_empty, layer->num_slots));
    layer->child_starts.assign(1, 0);
    for (const uint64_t count : counts) {
      const uint64_t before = layer->child_starts.back();
      if (count == 0 || count > layer->num_children - before) {
        return Corrupt("sparse page: list of ", count, " items, ", layer->num_children - before,
                       " are left");
      }
      layer->child_starts.push_back(before + count);
    }
    if (layer->child_starts.back() != layer->num_children) {
      return Corrupt("sparse page: lists have ", layer->child_starts.back(), " items, expected ",
                     layer->num_children);
    }
  }
  Validity& validity = layer->validity;
  ARROW_ASSIGN_OR_RAISE(validity.positions, decode(*validity.decoder, validity.num_positions));
  return CheckAscending(validity.positions, layer->num_slots);
}

Status SparseStructure::Load(std::span<const Bytes> payloads) {
  Add(0, layers_.front().num_slots, &live_);
  for (SparseLayer& layer : layers_) {
    ARROW_RETURN_NOT_OK(LoadLayer(&layer, &payloads));
    live_ = Descend(layer, OnlyValid(layer, live_));
  }
  return Status::OK();
}

uint64_t SparseStructure::num_live() const {
  return std::accumulate(live_.begin(), live_.end(), uint64_t{0},
                         [](uint64_t sum, const RowRange& range) { return sum + range.count; });
}

uint64_t SparseStructure::ChildrenBefore(const SparseLayer& layer, uint64_t slot) {
  const auto at = std::lower_bound(layer.non_empty.begin(), layer.non_empty.end(), slot);
  return layer.child_starts[static_cast<size_t>(at - layer.non_empty.begin())];
}

// The slots of the layer below.
std::vector<RowRange> SparseStructure::Descend(const SparseLayer& layer,
                                               std::span<const RowRange> slots) {
  std::vector<RowRange> out;
  for (const RowRange& range : slots) {
    if (layer.kind == LayerKind::kList) {
      Add(ChildrenBefore(layer, range.start), ChildrenBefore(layer, range.end()), &out);
    } else {
      Add(range.start * layer.dimension, range.end() * layer.dimension, &out);
    }
  }
  return out;
}

std::vector<RowRange> SparseStructure::OnlyValid(const SparseLayer& layer,
                                                 std::span<const RowRange> slots) {
  const std::vector<uint64_t>& positions = layer.validity.positions;
  std::vector<RowRange> out;
  for (const RowRange& range : slots) {
    auto at = std::lower_bound(positions.begin(), positions.end(), range.start);
    if (layer.validity.lists_valid) {
      for (; at != positions.end() && *at < range.end(); ++at) Add(*at, *at + 1, &out);
      continue;
    }
    uint64_t begin = range.start;
    for (; at != positions.end() && *at < range.end(); ++at) {
      Add(begin, *at, &out);
      begin = *at + 1;
    }
    Add(begin, range.end(), &out);
  }
  return out;
}

Result<LayerArrays> SparseStructure::CutLayer(const SparseLayer& layer,
                                              std::span<const RowRange> slots,
                                              arrow::MemoryPool* pool) {
  LayerArrays out;
  uint64_t children = 0;
  for (const RowRange& range : slots) {
    out.length += range.count;
    if (layer.kind == LayerKind::kList) {
      children += ChildrenBefore(layer, range.end()) - ChildrenBefore(layer, range.start);
    }
  }
  const Validity& validity = layer.validity;
  if (validity.lists_valid || !validity.positions.empty()) {
    const auto bits = static_cast<int64_t>(out.length);
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bitmap,
                          arrow::AllocateBuffer(arrow::bit_util::BytesForBits(bits), pool));
    uint8_t* data = bitmap->mutable_data();
    std::fill_n(data, bitmap->size(), validity.lists_valid ? uint8_t{0} : uint8_t{0xff});
    uint64_t at = 0;
    int64_t marked = 0;
    for (const RowRange& range : slots) {
      auto next =
          std::lower_bound(validity.positions.begin(), validity.positions.end(), range.start);
      for (; next != validity.positions.end() && *next < range.end(); ++next, ++marked) {
        arrow::bit_util::SetBitTo(data, static_cast<int64_t>(at + *next - range.start),
                                  validity.lists_valid);
      }
      at += range.count;
    }
    out.null_count = validity.lists_valid ? bits - marked : marked;
    if (out.null_count > 0) out.validity = std::move(bitmap);
  }
  if (layer.kind != LayerKind::kList) return out;
  if (!layer.large_offsets && children > std::numeric_limits<int32_t>::max()) {
    return MakeError(ErrorCode::kOverBudget,
                     "a batch of a list column has more items than its offsets can address; "
                     "read fewer rows at a time");
  }
  const uint64_t width = layer.large_offsets ? sizeof(int64_t) : sizeof(int32_t);
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::Buffer> offsets,
      arrow::AllocateBuffer(static_cast<int64_t>((out.length + 1) * width), pool));
  if (layer.large_offsets) {
    FillOffsets(layer.non_empty, layer.child_starts, slots, offsets->mutable_data_as<int64_t>());
  } else {
    FillOffsets(layer.non_empty, layer.child_starts, slots, offsets->mutable_data_as<int32_t>());
  }
  out.offsets = std::move(offsets);
  return out;
}

Result<std::vector<LayerArrays>> SparseStructure::Cut(std::span<const RowRange> rows,
                                                      arrow::MemoryPool* pool,
                                                      std::vector<RowRange>* slots) const {
  std::vector<LayerArrays> out;
  slots->assign(rows.begin(), rows.end());
  for (const SparseLayer& layer : layers_) {
    ARROW_ASSIGN_OR_RAISE(LayerArrays arrays, CutLayer(layer, *slots, pool));
    out.push_back(std::move(arrays));
    *slots = Descend(layer, *slots);
  }
  return out;
}

}  // namespace lance::encoding
