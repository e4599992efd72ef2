#include "encoding/read/full_zip_page.h"

#include <algorithm>

#include "encoding/read/encoding_name.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

// A larger repetition index is read entry by entry instead of being kept in memory.
constexpr uint64_t kMaxCachedIndexBytes = 1 << 20;

uint32_t ControlBytes(uint32_t bits) {
  if (bits == 0) return 0;
  if (bits <= 8) return 1;
  return bits <= 16 ? 2 : 4;
}

}  // namespace

class FullZipCursor final : public PageCursor {
 public:
  FullZipCursor(const FullZipPage& page, std::vector<RowRange> rows, std::vector<uint64_t> gaps)
      : page_(page), rows_(std::move(rows)), gaps_(std::move(gaps)) {}

  Status Needs(LeafSink& sink, uint64_t at, std::vector<NeededBytes>* needs) override {
    switch (step_) {
      case Step::kStart:
        if (!page_.has_index()) {
          NeedFixedRows(sink, at, needs);
          step_ = Step::kData;
        } else if (page_.index_cached()) {
          ARROW_RETURN_NOT_OK(NeedIndexedRows({}, needs));
          step_ = Step::kData;
        } else {
          for (const RowRange& range : rows_) {
            needs->push_back({page_.buffers_[1].offset + range.start * page_.index_entry_bytes_,
                              (range.count + 1) * page_.index_entry_bytes_});
          }
          step_ = Step::kIndex;
        }
        return Status::OK();
      case Step::kIndex:
        step_ = Step::kData;
        return NeedIndexedRows(bytes_, needs);
      case Step::kData:
        return Status::OK();
    }
    return Status::OK();
  }

  Status Feed(std::span<const Bytes> bytes) override {
    bytes_.assign(bytes.begin(), bytes.end());
    return Status::OK();
  }

  Status DecodeInto(LeafSink& sink, uint64_t at) override {
    if (page_.is_plain()) return DecodePlain(sink, at);
    for (size_t i = 0; i < rows_.size(); ++i) {
      ARROW_RETURN_NOT_OK(FillGap(i, sink, &at));
      ARROW_RETURN_NOT_OK(DecodeRange(rows_[i], bytes_[i], sink, &at));
    }
    return FillGap(rows_.size(), sink, &at);
  }

 private:
  enum class Step : uint8_t { kStart, kIndex, kData };

  uint64_t gap(size_t i) const { return gaps_.empty() ? 0 : gaps_[i]; }

  Status FillGap(size_t i, LeafSink& sink, uint64_t* at) const {
    if (gap(i) == 0) return Status::OK();
    ARROW_RETURN_NOT_OK(sink.PutEmptyValues(*at, gap(i)));
    *at += gap(i);
    return Status::OK();
  }

  void NeedFixedRows(LeafSink& sink, uint64_t at, std::vector<NeededBytes>* needs) const {
    const uint64_t row_bytes = page_.row_bytes();
    for (size_t i = 0; i < rows_.size(); ++i) {
      const RowRange& range = rows_[i];
      at += gap(i);
      uint8_t* into = nullptr;
      if (page_.is_plain() && !page_.shape_->has_lists()) {
        into = sink.fixed_data() + at * row_bytes;
      }
      needs->push_back(
          {page_.buffers_[0].offset + range.start * row_bytes, range.count * row_bytes, into});
      at += range.count;
    }
  }

  Status NeedIndexedRows(std::span<const Bytes> entries, std::vector<NeededBytes>* needs) const {
    for (size_t i = 0; i < rows_.size(); ++i) {
      const RowRange& range = rows_[i];
      const bool cached = page_.index_cached();
      const Bytes table = cached ? Bytes(page_.index_) : entries[i];
      const uint64_t first = cached ? range.start : 0;
      const uint64_t begin = page_.IndexEntry(table, first);
      const uint64_t end = page_.IndexEntry(table, first + range.count);
      if (begin > end || end > page_.buffers_[0].size) {
        return Corrupt("repetition index of a full-zip page: rows ", range.start, " to ",
                       range.end(), " at bytes ", begin, " to ", end, " of ",
                       page_.buffers_[0].size);
      }
      needs->push_back({page_.buffers_[0].offset + begin, end - begin});
    }
    return Status::OK();
  }

  // Values were read straight into place.
  Status DecodePlain(LeafSink& sink, uint64_t at) const {
    for (size_t i = 0; i < rows_.size(); ++i) {
      ARROW_RETURN_NOT_OK(FillGap(i, sink, &at));
      ARROW_RETURN_NOT_OK(
          sink.AppendLevels(nullptr, nullptr, page_.levels_.to_canonical, rows_[i].count));
      at += rows_[i].count;
    }
    return FillGap(rows_.size(), sink, &at);
  }

  Status DecodeRange(const RowRange& range, Bytes bytes, LeafSink& sink, uint64_t* at) const {
    ByteReader reader(bytes);
    const bool lists = page_.levels_.max_rep > 0;
    uint64_t rows = 0;
    thread_local std::vector<uint16_t> reps;
    thread_local std::vector<uint16_t> defs;
    reps.clear();
    defs.clear();
    while (lists ? !reader.done() : rows < range.count) {
      uint16_t rep = 0;
      uint16_t def = 0;
      ARROW_RETURN_NOT_OK(ReadControl(reader, &rep, &def));
      if (lists) {
        if (rep == page_.levels_.max_rep) ++rows;
        if (rows == 0) return Corrupt("row of a full-zip page does not begin with a list start");
        reps.push_back(rep);
      } else {
        ++rows;
      }
      if (page_.bits_def_ > 0) defs.push_back(def);
      if (def <= page_.levels_.max_visible_def) {
        ARROW_RETURN_NOT_OK(ReadValue(reader, def, lists, sink, at));
      }
    }
    if (rows != range.count || !reader.done()) {
      return Corrupt("full-zip page: ", rows, " rows found where ", range.count, " were expected, ",
                     reader.remaining(), " bytes left over");
    }
    const uint64_t items = lists ? reps.size() : rows;
    return sink.AppendLevels(lists ? reps.data() : nullptr,
                             page_.bits_def_ > 0 ? defs.data() : nullptr,
                             page_.levels_.to_canonical, items);
  }

  Status ReadControl(ByteReader& reader, uint16_t* rep, uint16_t* def) const {
    uint32_t word = 0;
    switch (page_.control_bytes_) {
      case 0:
        return Status::OK();
      case 1: {
        ARROW_ASSIGN_OR_RAISE(word, reader.Read<uint8_t>("control word"));
        break;
      }
      case 2: {
        ARROW_ASSIGN_OR_RAISE(word, reader.Read<uint16_t>("control word"));
        break;
      }
      default: {
        ARROW_ASSIGN_OR_RAISE(word, reader.Read<uint32_t>("control word"));
        break;
      }
    }
    const uint32_t def_level = word & ((1u << page_.bits_def_) - 1);
    const uint32_t rep_level = word >> page_.bits_def_;
    if (def_level > page_.levels_.max_def || rep_level > page_.levels_.max_rep) {
      return Corrupt("control word of a full-zip page holds levels ", rep_level, " and ", def_level,
                     ", at most ", page_.levels_.max_rep, " and ", page_.levels_.max_def,
                     " are possible");
    }
    *rep = static_cast<uint16_t>(rep_level);
    *def = static_cast<uint16_t>(def_level);
    return Status::OK();
  }

  Status ReadValue(ByteReader& reader, uint16_t def, bool lists, LeafSink& sink,
                   uint64_t* at) const {
    uint64_t position = (*at)++;
    if (lists && !page_.variable_) {
      ARROW_ASSIGN_OR_RAISE(position, sink.AppendFixed(1));
    }
    if (page_.fixed_) {
      ARROW_ASSIGN_OR_RAISE(Bytes stored,
                            reader.ReadBytes(page_.fixed_->stored_bytes(), "fixed-width value"));
      return page_.fixed_->Decode(stored.data(), position, sink);
    }
    if (def != 0) return sink.PutEmptyValues(position, 1);
    uint64_t length = 0;
    if (page_.length_bytes_ == sizeof(uint32_t)) {
      ARROW_ASSIGN_OR_RAISE(length, reader.Read<uint32_t>("length of a value"));
    } else {
      ARROW_ASSIGN_OR_RAISE(length, reader.Read<uint64_t>("length of a value"));
    }
    ARROW_ASSIGN_OR_RAISE(Bytes stored, reader.ReadBytes(length, "variable-width value"));
    if (page_.packed_rows_) return page_.packed_rows_->Decode(stored, position, sink);
    return page_.variable_->Decode(stored, sink);
  }

  const FullZipPage& page_;
  std::vector<RowRange> rows_;
  std::vector<uint64_t> gaps_;  ///< empty: there are none
  std::vector<Bytes> bytes_;
  Step step_ = Step::kStart;
};

Result<std::unique_ptr<PageReader>> FullZipPage::Make(const encodings21::FullZipLayout& layout,
                                                      const LeafShape& shape,
                                                      std::vector<PageBuffer> buffers,
                                                      uint64_t num_rows, bool direct) {
  std::unique_ptr<FullZipPage> page(new FullZipPage(shape, std::move(buffers), num_rows));
  ARROW_ASSIGN_OR_RAISE(page->levels_,
                        PageLevels::Make({layout.layers().begin(), layout.layers().end()}, shape));
  if (layout.bits_rep() > 16 || layout.bits_def() > 16) {
    return Corrupt("full-zip page with levels of ", layout.bits_rep(), " and ", layout.bits_def(),
                   " bits");
  }
  if ((layout.bits_rep() > 0) != (page->levels_.max_rep > 0)) {
    return Corrupt("full-zip page with ", layout.bits_rep(), " repetition bits for ",
                   page->levels_.max_rep, " list layers");
  }
  page->bits_def_ = layout.bits_def();
  page->direct_ = direct;
  page->control_bytes_ = ControlBytes(layout.bits_rep() + layout.bits_def());
  const bool variable = layout.has_bits_per_offset();
  const encodings21::CompressiveEncoding& values = layout.value_compression();
  const bool packed_rows = variable && values.has_variable_packed_struct();
  if ((variable && !packed_rows) != (shape.values == LeafShape::Values::kVariable) ||
      shape.is_dictionary || shape.values == LeafShape::Values::kNone ||
      shape.values == LeafShape::Values::kEmptyStruct) {
    return Corrupt("full-zip page of ", variable ? "variable" : "fixed",
                   "-width values, which is not the column's type");
  }
  if (variable) {
    if (packed_rows) {
      ARROW_ASSIGN_OR_RAISE(page->packed_rows_,
                            PackedRowDecoder::Make(values.variable_packed_struct(), shape));
    } else {
      ARROW_ASSIGN_OR_RAISE(page->variable_, VariableValueDecoder::Make(values));
    }
    if (layout.bits_per_offset() != 32 && layout.bits_per_offset() != 64) {
      return Corrupt("full-zip page with lengths of ", layout.bits_per_offset(), " bits");
    }
    page->length_bytes_ = layout.bits_per_offset() / 8;
  } else {
    ARROW_ASSIGN_OR_RAISE(page->fixed_, FixedValueDecoder::Make(values, shape));
    if (layout.bits_per_value() != page->fixed_->stored_bytes() * 8) {
      return Corrupt("full-zip page with values of ", layout.bits_per_value(), " bits, ",
                     EncodingName(values), " has ", page->fixed_->stored_bytes() * 8);
    }
  }
  const bool indexed = variable || layout.bits_rep() > 0;
  if (page->buffers_.size() != (indexed ? 2u : 1u)) {
    return Corrupt("full-zip page has ", page->buffers_.size(), " buffers, expected ",
                   indexed ? 2 : 1);
  }
  if (indexed) {
    const uint64_t size = page->buffers_[1].size;
    const uint64_t width = num_rows < size ? size / (num_rows + 1) : 0;
    if (width * (num_rows + 1) != size || (width != 1 && width != 2 && width != 4 && width != 8)) {
      return Corrupt("repetition index of a full-zip page has ", size, " bytes for ", num_rows,
                     " rows");
    }
    page->index_entry_bytes_ = width;
  } else if (page->row_bytes() == 0 || page->buffers_[0].size / page->row_bytes() != num_rows ||
             page->buffers_[0].size % page->row_bytes() != 0) {
    return Corrupt("full-zip page has ", page->buffers_[0].size, " bytes for ", num_rows,
                   " rows of ", page->row_bytes(), " bytes");
  }
  return std::unique_ptr<PageReader>(std::move(page));
}

std::vector<NeededBytes> FullZipPage::IndexNeeds() const {
  if (!has_index() || buffers_[1].size > kMaxCachedIndexBytes) return {};
  return {{buffers_[1].offset, buffers_[1].size}};
}

Status FullZipPage::LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool*) {
  if (!bytes.empty()) index_.assign(bytes[0].begin(), bytes[0].end());
  return Status::OK();
}

uint64_t FullZipPage::IndexEntry(Bytes entries, uint64_t i) const {
  const uint8_t* at = entries.data() + i * index_entry_bytes_;
  switch (index_entry_bytes_) {
    case 1:
      return *at;
    case 2:
      return LoadLittleEndian<uint16_t>(at);
    case 4:
      return LoadLittleEndian<uint32_t>(at);
    default:
      return LoadLittleEndian<uint64_t>(at);
  }
}

std::unique_ptr<PageCursor> FullZipPage::Start(std::vector<RowRange> rows) const {
  return StartWithGaps(std::move(rows), {});
}

std::unique_ptr<PageCursor> FullZipPage::StartWithGaps(std::vector<RowRange> rows,
                                                       std::vector<uint64_t> gaps) const {
  return std::make_unique<FullZipCursor>(*this, std::move(rows), std::move(gaps));
}

}  // namespace lance::encoding
