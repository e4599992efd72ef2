#include "encoding/read/sparse_page.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "arrow/buffer.h"
#include "encoding/read/constant_page.h"
#include "encoding/read/encoding_name.h"
#include "encoding/read/full_zip_page.h"
#include "encoding/read/mini_block_page.h"
#include "encoding/read/planar_layout.h"
#include "encodings21.pb.h"
#include "encodings23.pb.h"

namespace lance::encoding {

class SparseCursor final : public PageCursor {
 public:
  SparseCursor(const SparsePage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {
    const uint64_t scale = page.shape_->rows_scale();
    for (RowRange& range : rows_) range = {range.start / scale, range.count / scale};
  }

  Status Needs(LeafSink& sink, uint64_t at, std::vector<NeededBytes>* needs) override {
    if (!cut_) ARROW_RETURN_NOT_OK(Cut(sink.pool()));
    if (values_ == nullptr) return Status::OK();
    return values_->Needs(sink, at, needs);
  }

  Status Feed(std::span<const Bytes> bytes) override { return values_->Feed(bytes); }

  Status DecodeInto(LeafSink& sink, uint64_t at) override {
    const uint64_t count = CountRows(slots_);
    sink.AppendLayers(std::move(layers_));
    const bool appends = sink.shape().values == LeafShape::Values::kVariable;
    if (sink.shape().has_lists() && !appends) {
      ARROW_ASSIGN_OR_RAISE(at, sink.AppendFixed(count));
    }
    if (page_.values_ == SparsePage::Values::kIndexed) return Gather(sink);
    if (values_ == nullptr) {
      if (sink.shape().is_dictionary) sink.StartDictionary(nullptr, at);
      return sink.PutEmptyValues(at, count);
    }
    sink.IgnoreLevels(true);
    Status status = values_->DecodeInto(sink, at);
    sink.IgnoreLevels(false);
    return status;
  }

 private:
  Status Cut(arrow::MemoryPool* pool) {
    cut_ = true;
    ARROW_ASSIGN_OR_RAISE(layers_, page_.structure_.Cut(rows_, pool, &slots_));
    if (page_.values_ == SparsePage::Values::kAllSlots) {
      values_ = page_.value_page_->Start(slots_);
    } else if (page_.values_ == SparsePage::Values::kLiveSlots) {
      StartLive();
    }
    return Status::OK();
  }

  // Runs of live slots as ranges of ranks, and how many dead slots lie before each run.
  void StartLive() {
    std::vector<RowRange> ranks;
    std::vector<uint64_t> gaps;
    const std::vector<RowRange>& live = page_.structure_.live();
    uint64_t gap = 0;
    for (const RowRange& range : slots_) {
      uint64_t slot = range.start;
      auto at = std::upper_bound(live.begin(), live.end(), slot,
                                 [](uint64_t value, const RowRange& r) { return value < r.end(); });
      for (; at != live.end() && at->start < range.end(); ++at) {
        const uint64_t begin = std::max(slot, at->start);
        const uint64_t end = std::min(range.end(), at->end());
        gaps.push_back(gap + begin - slot);
        gap = 0;
        const auto index = static_cast<size_t>(at - live.begin());
        ranks.push_back({page_.live_before_[index] + begin - at->start, end - begin});
        slot = end;
      }
      gap += range.end() - slot;
    }
    gaps.push_back(gap);
    values_ = static_cast<const FullZipPage&>(*page_.value_page_)
                  .StartWithGaps(std::move(ranks), std::move(gaps));
  }

  Status Gather(LeafSink& sink) const {
    for (const RowRange& range : slots_) {
      const auto* indices = reinterpret_cast<const uint8_t*>(page_.indices_.data() + range.start);
      ARROW_RETURN_NOT_OK(GatherVariable(*page_.items_, indices, 32, range.count, sink));
    }
    return Status::OK();
  }

  const SparsePage& page_;
  std::vector<RowRange> rows_;
  bool cut_ = false;
  std::vector<LayerArrays> layers_;
  std::vector<RowRange> slots_;
  std::unique_ptr<PageCursor> values_;  ///< null: there are none, or they are in the index
};

Result<std::unique_ptr<PageReader>> SparsePage::Make(const encodings23::SparseStructure& structure,
                                                     const encodings23::ValuePlane& values,
                                                     const LeafShape& shape,
                                                     std::vector<PageBuffer> buffers,
                                                     uint64_t num_rows) {
  std::unique_ptr<SparsePage> page(new SparsePage(shape, std::move(buffers), num_rows));
  ARROW_ASSIGN_OR_RAISE(page->structure_, SparseStructure::Make(structure, shape, num_rows));
  page->leaf_shape_ = shape;
  page->leaf_shape_.layers = {{LayerKind::kItem}};
  ARROW_RETURN_NOT_OK(page->MakeValues(values));
  const size_t expected = page->num_value_buffers_ + page->structure_.num_payloads();
  if (page->buffers_.size() != expected) {
    return Corrupt("sparse page has ", page->buffers_.size(), " buffers, expected ", expected);
  }
  return std::unique_ptr<PageReader>(std::move(page));
}

Status SparsePage::MakeValues(const encodings23::ValuePlane& values) {
  using Kind = encodings23::ValuePlane::ValuesCase;
  if (values.values_case() == Kind::kNone) return Status::OK();
  if (values.values_case() == Kind::kIndexed) return MakeIndexed(values.indexed());
  encodings21::PageLayout layout;
  uint64_t rows = structure_.num_slots();
  values_ = Values::kAllSlots;
  if (values.values_case() == Kind::kChunked) {
    if (values.chunked().has_levels()) return Corrupt("values of a sparse page have levels");
    layout = ChunkedLayout(values.chunked(), {encodings21::REPDEF_ALL_VALID_ITEM});
    // The wire leaves it out.
    layout.mutable_mini_block_layout()->set_num_items(rows);
    num_value_buffers_ = values.chunked().has_dictionary() ? 3 : 2;
  } else if (values.values_case() == Kind::kZipped) {
    if (values.zipped().has_levels()) return Corrupt("values of a sparse page have levels");
    layout = ZippedLayout(values.zipped(), {encodings21::REPDEF_ALL_VALID_ITEM});
    rows = declared_live_ = values.zipped().num_visible_items();
    num_value_buffers_ = values.zipped().has_bits_per_offset() ? 2 : 1;
    values_ = Values::kLiveSlots;
  } else if (values.values_case() == Kind::kConstant) {
    layout = ConstantLayout(values.constant(), {encodings21::REPDEF_ALL_VALID_ITEM});
  } else {
    return Corrupt("sparse page says nothing of its values");
  }
  if (buffers_.size() < num_value_buffers_) {
    return Corrupt("sparse page has ", buffers_.size(), " buffers, its values need ",
                   num_value_buffers_);
  }
  std::vector<PageBuffer> buffers(buffers_.begin(),
                                  buffers_.begin() + static_cast<ptrdiff_t>(num_value_buffers_));
  if (values_ == Values::kLiveSlots) {
    // Straight into the result only where its place is known beforehand.
    return FullZipPage::Make(layout.full_zip_layout(), leaf_shape_, std::move(buffers), rows,
                             /*direct=*/!shape_->has_lists())
        .Value(&value_page_);
  }
  return PageReader::Make(layout, leaf_shape_, std::move(buffers), rows, /*version_2_1=*/false)
      .Value(&value_page_);
}

Status SparsePage::MakeIndexed(const encodings23::IndexedValues& values) {
  constexpr size_t kBuffers = 3;
  if (shape_->values != LeafShape::Values::kVariable || shape_->is_dictionary) {
    return Corrupt("sparse page with indices of strings, which is not the column's type");
  }
  if (buffers_.size() < kBuffers || !values.items().has_bits_per_offset()) {
    return Corrupt("sparse page with indices has ", buffers_.size(), " buffers");
  }
  values_ = Values::kIndexed;
  num_value_buffers_ = kBuffers;
  num_items_ = values.items().num_items();
  ARROW_ASSIGN_OR_RAISE(index_decoder_, SequenceDecoder::Make(values.indices()));
  item_shape_.values = LeafShape::Values::kVariable;
  item_shape_.large_offsets = true;
  item_shape_.layers = {{LayerKind::kItem}};
  const encodings21::PageLayout layout =
      ZippedLayout(values.items(), {encodings21::REPDEF_ALL_VALID_ITEM});
  return FullZipPage::Make(layout.full_zip_layout(), item_shape_, {buffers_[1], buffers_[2]},
                           num_items_)
      .Value(&value_page_);
}

std::vector<NeededBytes> SparsePage::IndexNeeds() const {
  std::vector<NeededBytes> needs;
  if (values_ == Values::kIndexed) {
    for (size_t i = 0; i < num_value_buffers_; ++i) {
      needs.push_back({buffers_[i].offset, buffers_[i].size});
    }
  } else if (value_page_ != nullptr) {
    needs = value_page_->IndexNeeds();
  }
  for (size_t i = num_value_buffers_; i < buffers_.size(); ++i) {
    needs.push_back({buffers_[i].offset, buffers_[i].size});
  }
  return needs;
}

Status SparsePage::LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool* pool) {
  const size_t num_payloads = structure_.num_payloads();
  ARROW_RETURN_NOT_OK(structure_.Load(bytes.last(num_payloads)));
  const std::span<const Bytes> of_values = bytes.first(bytes.size() - num_payloads);
  if (values_ == Values::kIndexed) {
    ARROW_ASSIGN_OR_RAISE(auto indices,
                          index_decoder_->Decode(of_values[0], structure_.num_slots()));
    indices_.reserve(indices.size());
    for (const uint64_t index : indices) {
      if (index >= num_items_) {
        return Corrupt("sparse page: index ", index, " of ", num_items_, " items");
      }
      indices_.push_back(static_cast<uint32_t>(index));
    }
    return LoadItems(of_values[1], of_values[2], pool);
  }
  const uint64_t live = structure_.num_live();
  // Structs without members have no values, and are never null here.
  const bool has_values = shape_->values != LeafShape::Values::kEmptyStruct;
  if (values_ == Values::kNone && live > 0 && has_values) {
    return Corrupt("sparse page without values has ", live, " slots that are not null");
  }
  if (values_ == Values::kLiveSlots) {
    if (live != declared_live_) {
      return Corrupt("sparse page has ", declared_live_, " values for ", live, " slots");
    }
    uint64_t before = 0;
    for (const RowRange& range : structure_.live()) {
      live_before_.push_back(before);
      before += range.count;
    }
  }
  return value_page_ == nullptr ? Status::OK() : value_page_->LoadIndex(of_values, pool);
}

// The whole dictionary, which the page keeps.
Status SparsePage::LoadItems(Bytes zipped, Bytes offsets, arrow::MemoryPool* pool) {
  const bool wants_offsets = !value_page_->IndexNeeds().empty();
  ARROW_RETURN_NOT_OK(value_page_->LoadIndex({&offsets, wants_offsets ? 1u : 0u}, pool));
  ARROW_ASSIGN_OR_RAISE(auto sink, LeafSink::Make(item_shape_, num_items_, pool));
  auto cursor = value_page_->Start({{0, num_items_}});
  for (;;) {
    std::vector<NeededBytes> needs;
    ARROW_RETURN_NOT_OK(cursor->Needs(*sink, 0, &needs));
    if (needs.empty()) break;
    std::vector<Bytes> found;
    for (const NeededBytes& need : needs) {
      const bool in_zipped = need.offset >= buffers_[1].offset &&
                             need.offset + need.size <= buffers_[1].offset + buffers_[1].size;
      const Bytes from = in_zipped ? zipped : offsets;
      const uint64_t begin = need.offset - buffers_[in_zipped ? 1 : 2].offset;
      if (begin > from.size() || need.size > from.size() - begin) {
        return Corrupt("items of a sparse page are outside of their buffers");
      }
      found.push_back(from.subspan(begin, need.size));
    }
    ARROW_RETURN_NOT_OK(cursor->Feed(found));
  }
  ARROW_RETURN_NOT_OK(cursor->DecodeInto(*sink, 0));
  auto items = std::make_shared<DecodedBlock>();
  items->num_values = num_items_;
  items->variable = true;
  // Room behind the bytes that may be read.
  ARROW_RETURN_NOT_OK(sink->ReserveVariable(0, DecodedBlock::kReadableSlack));
  std::memset(sink->variable_end(), 0, DecodedBlock::kReadableSlack);
  ARROW_ASSIGN_OR_RAISE(items->offsets, sink->FinishOffsets());
  ARROW_ASSIGN_OR_RAISE(items->values, sink->FinishData());
  for (uint64_t i = 0; i < num_items_; ++i) {
    const int64_t size = items->offset_data()[i + 1] - items->offset_data()[i];
    items->longest_item = std::max(items->longest_item, static_cast<uint64_t>(size));
  }
  items_ = std::move(items);
  return Status::OK();
}

std::unique_ptr<PageCursor> SparsePage::Start(std::vector<RowRange> rows) const {
  return std::make_unique<SparseCursor>(*this, std::move(rows));
}

}  // namespace lance::encoding
