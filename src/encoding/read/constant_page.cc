#include "encoding/read/constant_page.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "arrow/util/bit_util.h"
#include "encoding/read/encoding_name.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

constexpr uint64_t kMaxInlineScalarBytes = 32;

Result<std::vector<uint16_t>> DecodeLevels(const BlockDecoder* decoder, Bytes bytes,
                                           uint64_t count) {
  if (bytes.empty()) return std::vector<uint16_t>();
  if (decoder == nullptr) {
    if (bytes.size() % sizeof(uint16_t) != 0) {
      return Corrupt("raw levels of a constant page take ", bytes.size(), " bytes");
    }
    std::vector<uint16_t> levels(bytes.size() / sizeof(uint16_t));
    std::memcpy(levels.data(), bytes.data(), bytes.size());
    return levels;
  }
  std::vector<uint16_t> levels(count);
  ARROW_RETURN_NOT_OK(
      decoder->DecodeFixed(bytes, count, reinterpret_cast<uint8_t*>(levels.data())));
  return levels;
}

// Run-length levels expand at most 255-fold per byte of run length, bit-packed ones 16 a bit.
constexpr uint64_t kMaxLevelsPerByte = 1024;
constexpr uint64_t kNullsAtOnce = 64 * 1024;

}  // namespace

class ConstantCursor final : public PageCursor {
 public:
  ConstantCursor(const ConstantPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {}
  Status Needs(LeafSink&, uint64_t, std::vector<NeededBytes>*) override { return Status::OK(); }
  Status Feed(std::span<const Bytes>) override { return Status::OK(); }
  Status DecodeInto(LeafSink& sink, uint64_t at) override {
    if (page_.shape_->is_dictionary) {
      sink.StartDictionary(nullptr, page_.shape_->has_lists() ? sink.num_values() : at);
    }
    const bool lists = page_.levels_.max_rep > 0;
    for (const RowRange& range : rows_) {
      const uint64_t begin = lists ? page_.row_start_[range.start] : range.start;
      const uint64_t end = lists ? page_.row_start_[range.end()] : range.end();
      ARROW_RETURN_NOT_OK(page_.AppendItems(begin, end, at, sink));
      at += range.count;
    }
    return Status::OK();
  }

 private:
  const ConstantPage& page_;
  std::vector<RowRange> rows_;
};

Result<std::unique_ptr<PageReader>> ConstantPage::Make(const encodings21::ConstantLayout& layout,
                                                       const LeafShape& shape,
                                                       std::vector<PageBuffer> buffers,
                                                       uint64_t num_rows) {
  std::unique_ptr<ConstantPage> page(new ConstantPage(shape, std::move(buffers), num_rows));
  ARROW_ASSIGN_OR_RAISE(page->levels_,
                        PageLevels::Make({layout.layers().begin(), layout.layers().end()}, shape));
  if (layout.has_rep_compression()) {
    ARROW_ASSIGN_OR_RAISE(page->rep_decoder_, MakeLevelDecoder(layout.rep_compression()));
  }
  if (layout.has_def_compression()) {
    ARROW_ASSIGN_OR_RAISE(page->def_decoder_, MakeLevelDecoder(layout.def_compression()));
  }
  page->num_rep_ = layout.num_rep_values();
  page->num_def_ = layout.num_def_values();
  const size_t count = page->buffers_.size();
  page->has_scalar_ = layout.has_inline_value() || count == 1 || count == 3;
  page->scalar_in_buffer_ = page->has_scalar_ && !layout.has_inline_value();
  page->has_level_buffers_ = count >= 2;
  if (count > 3 || (layout.has_inline_value() && count != 0 && count != 2)) {
    return Corrupt("constant page has ", count, " buffers");
  }
  if (page->has_scalar_ &&
      (shape.is_dictionary || shape.values == LeafShape::Values::kNone ||
       shape.values == LeafShape::Values::kEmptyStruct ||
       shape.values == LeafShape::Values::kPackedStruct || !shape.dimensions.empty())) {
    return Corrupt("constant page with a value in a column that has no such values");
  }
  if (layout.has_inline_value()) {
    ARROW_RETURN_NOT_OK(page->SetInlineScalar(AsBytes(layout.inline_value())));
  }
  if (!page->has_level_buffers_) {
    if (page->levels_.max_rep > 0) return Corrupt("constant page with lists has no levels");
    page->all_rows_null_ = !page->has_scalar_ && shape.values != LeafShape::Values::kEmptyStruct;
    if (page->all_rows_null_ && page->levels_.max_def != 1) {
      return Corrupt("all-null page without levels has ", page->levels_.max_def,
                     " definition numbers, expected 1");
    }
  }
  return std::unique_ptr<PageReader>(std::move(page));
}

Status ConstantPage::SetInlineScalar(Bytes value) {
  const uint64_t expected = (shape_->value_bits + 7) / 8;
  if (shape_->values != LeafShape::Values::kFixed || value.size() != expected ||
      value.size() > kMaxInlineScalarBytes) {
    return Corrupt("constant page: inline value of ", value.size(), " bytes, expected ", expected);
  }
  scalar_.assign(value.begin(), value.end());
  return Status::OK();
}

// u32 number of Arrow buffers, u32 length of each, their bytes.
Status ConstantPage::SetScalarBuffer(Bytes buffer) {
  ByteReader reader(buffer);
  const bool variable = shape_->values == LeafShape::Values::kVariable;
  ARROW_ASSIGN_OR_RAISE(uint32_t count, reader.Read<uint32_t>("number of scalar buffers"));
  if (count != (variable ? 2u : 1u)) {
    return Corrupt("constant page: the value has ", count, " Arrow buffers, expected ",
                   variable ? 2 : 1);
  }
  uint32_t lengths[2] = {};
  for (uint32_t i = 0; i < count; ++i) {
    ARROW_ASSIGN_OR_RAISE(lengths[i], reader.Read<uint32_t>("length of a scalar buffer"));
  }
  ARROW_ASSIGN_OR_RAISE(Bytes first, reader.ReadBytes(lengths[0], "scalar"));
  if (!variable) {
    if (first.size() < (shape_->value_bits + 7) / 8) {
      return Corrupt("constant page: the value has ", first.size(), " bytes");
    }
    scalar_.assign(first.begin(),
                   first.begin() + static_cast<ptrdiff_t>((shape_->value_bits + 7) / 8));
    return Status::OK();
  }
  ByteReader offsets(first);
  uint64_t begin = 0;
  uint64_t end = 0;
  // Of the width of the column in the file, which may be read with other offsets.
  const bool is_large = first.size() == 2 * sizeof(uint64_t) ||
                        (shape_->large_offsets && first.size() != 2 * sizeof(uint32_t));
  if (is_large) {
    ARROW_ASSIGN_OR_RAISE(begin, offsets.Read<uint64_t>("scalar offsets"));
    ARROW_ASSIGN_OR_RAISE(end, offsets.Read<uint64_t>("scalar offsets"));
  } else {
    ARROW_ASSIGN_OR_RAISE(begin, offsets.Read<uint32_t>("scalar offsets"));
    ARROW_ASSIGN_OR_RAISE(end, offsets.Read<uint32_t>("scalar offsets"));
  }
  ARROW_ASSIGN_OR_RAISE(Bytes data, reader.ReadBytes(lengths[1], "scalar bytes"));
  if (begin > end || end > data.size()) {
    return Corrupt("constant page: value at bytes ", begin, " to ", end, " of ", data.size());
  }
  const Bytes value = data.subspan(begin, end - begin);
  scalar_.assign(value.begin(), value.end());
  return Status::OK();
}

std::vector<NeededBytes> ConstantPage::IndexNeeds() const {
  std::vector<NeededBytes> needs;
  for (const PageBuffer& buffer : buffers_) needs.push_back({buffer.offset, buffer.size});
  return needs;
}

Status ConstantPage::LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool*) {
  size_t next = 0;
  if (scalar_in_buffer_) ARROW_RETURN_NOT_OK(SetScalarBuffer(bytes[next++]));
  if (has_level_buffers_) return LoadLevels(bytes[next], bytes[next + 1]);
  return Status::OK();
}

Status ConstantPage::LoadLevels(Bytes rep, Bytes def) {
  if (num_rep_ > rep.size() * kMaxLevelsPerByte + kMaxLevelsPerByte ||
      num_def_ > def.size() * kMaxLevelsPerByte + kMaxLevelsPerByte) {
    return Corrupt("constant page claims ", num_rep_, " and ", num_def_, " levels in ", rep.size(),
                   " and ", def.size(), " bytes");
  }
  ARROW_ASSIGN_OR_RAISE(rep_, DecodeLevels(rep_decoder_.get(), rep, num_rep_));
  ARROW_ASSIGN_OR_RAISE(def_, DecodeLevels(def_decoder_.get(), def, num_def_));
  const bool lists = levels_.max_rep > 0;
  if (rep_.empty() == lists && num_rows_ > 0) {
    return Corrupt("constant page has ", rep_.size(), " repetition levels for ", levels_.max_rep,
                   " list layers");
  }
  const uint64_t items = lists ? rep_.size() : num_rows_;
  if (!def_.empty() && def_.size() != items) {
    return Corrupt("constant page has ", def_.size(), " definition levels for ", items, " items");
  }
  for (uint16_t level : def_) {
    if (level > levels_.max_def) {
      return Corrupt("definition level ", level, ", at most ", levels_.max_def, " is possible");
    }
  }
  if (!lists) return Status::OK();
  for (uint64_t i = 0; i < items; ++i) {
    if (rep_[i] > levels_.max_rep) {
      return Corrupt("repetition level ", rep_[i], ", at most ", levels_.max_rep, " is possible");
    }
    if (rep_[i] == levels_.max_rep) row_start_.push_back(i);
  }
  if (row_start_.size() != num_rows_ || (num_rows_ > 0 && row_start_[0] != 0)) {
    return Corrupt("constant page has levels for ", row_start_.size(), " rows, expected ",
                   num_rows_);
  }
  row_start_.push_back(items);
  return Status::OK();
}

Status ConstantPage::AppendItems(uint64_t begin, uint64_t end, uint64_t at, LeafSink& sink) const {
  const uint64_t items = end - begin;
  const bool lists = levels_.max_rep > 0;
  if (all_rows_null_) {
    // Piece by piece: a few bytes may claim more rows than there is memory.
    const std::vector<uint16_t> nulls(std::min(items, kNullsAtOnce), levels_.max_def);
    for (uint64_t done = 0; done < items; done += nulls.size()) {
      ARROW_RETURN_NOT_OK(sink.AppendLevels(nullptr, nulls.data(), levels_.to_canonical,
                                            std::min<uint64_t>(nulls.size(), items - done)));
    }
    return AppendValues(items, at, sink);
  }
  uint64_t visible = items;
  if (!def_.empty()) {
    visible = static_cast<uint64_t>(std::count_if(
        def_.begin() + static_cast<ptrdiff_t>(begin), def_.begin() + static_cast<ptrdiff_t>(end),
        [this](uint16_t level) { return level <= levels_.max_visible_def; }));
  }
  ARROW_RETURN_NOT_OK(sink.AppendLevels(lists ? rep_.data() + begin : nullptr,
                                        def_.empty() ? nullptr : def_.data() + begin,
                                        levels_.to_canonical, items));
  return AppendValues(visible, at, sink);
}

Status ConstantPage::AppendValues(uint64_t count, uint64_t at, LeafSink& sink) const {
  if (count == 0) return Status::OK();
  if (shape_->values != LeafShape::Values::kVariable && shape_->has_lists()) {
    ARROW_ASSIGN_OR_RAISE(at, sink.AppendFixed(count));
  }
  if (scalar_.empty()) return sink.PutEmptyValues(at, count);
  if (shape_->values == LeafShape::Values::kVariable) {
    if (!scalar_.empty() && count > std::numeric_limits<int64_t>::max() / scalar_.size()) {
      return MakeError(ErrorCode::kOverBudget, "too many rows in one batch");
    }
    ARROW_RETURN_NOT_OK(sink.ReserveVariable(count, count * scalar_.size()));
    for (uint64_t i = 0; i < count; ++i) {
      std::memcpy(sink.variable_end(), scalar_.data(), scalar_.size());
      sink.EndValue(scalar_.size());
    }
    return Status::OK();
  }
  const uint64_t bits = shape_->value_bits;
  if (bits == 1) {
    arrow::bit_util::SetBitsTo(sink.fixed_data(), static_cast<int64_t>(at),
                               static_cast<int64_t>(count), (scalar_[0] & 1) != 0);
    return Status::OK();
  }
  uint8_t* out = sink.fixed_data() + at * bits / 8;
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(out + i * scalar_.size(), scalar_.data(), scalar_.size());
  return Status::OK();
}

std::unique_ptr<PageCursor> ConstantPage::Start(std::vector<RowRange> rows) const {
  return std::make_unique<ConstantCursor>(*this, std::move(rows));
}

}  // namespace lance::encoding
