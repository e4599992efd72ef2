#include "encoding/v20/fixed_page.h"

#include <cstring>

#include "arrow/util/bit_util.h"
#include "encoding/read/bit_copy.h"
#include "encoding/v20/encoding_kind.h"
#include "encodings20.pb.h"

namespace lance::encoding::v20 {
namespace {

std::vector<RowRange> Scale(std::span<const RowRange> rows, uint64_t items_per_row) {
  std::vector<RowRange> out;
  out.reserve(rows.size());
  for (const RowRange& range : rows) {
    out.push_back({range.start * items_per_row, range.count * items_per_row});
  }
  return out;
}

}  // namespace

bool FixedPage::Level::is_kept() const {
  return validity && validity->is_plain() && validity->buffer().size <= kMaxKeptValidityBytes;
}

class FixedCursor final : public PageCursor {
 public:
  FixedCursor(const FixedPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {}

  Status Needs(LeafSink& sink, uint64_t at, std::vector<NeededBytes>* needs) override {
    if (asked_) return Status::OK();
    asked_ = true;
    for (const FixedPage::Level& level : page_.levels_) {
      if (!level.validity || level.is_kept()) continue;
      level.validity->AddNeeds(Scale(rows_, level.items_per_row), nullptr, needs);
    }
    if (page_.values_) {
      uint8_t* into = nullptr;
      if (page_.values_->is_final()) into = sink.fixed_data() + at * sink.shape().value_bits / 8;
      page_.values_->AddNeeds(Scale(rows_, page_.items_per_row_), into, needs);
    }
    return Status::OK();
  }

  Status Feed(std::span<const Bytes> bytes) override {
    bytes_.assign(bytes.begin(), bytes.end());
    return Status::OK();
  }

  Status DecodeInto(LeafSink& sink, uint64_t at) override {
    std::span<const Bytes> left = bytes_;
    for (size_t depth = 0; depth < page_.levels_.size(); ++depth) {
      const FixedPage::Level& level = page_.levels_[depth];
      if (level.validity && !level.is_kept()) {
        const size_t needs = level.validity->CountNeeds(rows_.size());
        ARROW_RETURN_NOT_OK(DecodeLevel(depth, left.first(needs), sink, at));
        left = left.subspan(needs);
      } else {
        ARROW_RETURN_NOT_OK(DecodeLevel(depth, {}, sink, at));
      }
    }
    if (!page_.values_) {
      // Values under nulls are zero.
      const uint64_t bits = sink.shape().value_bits;
      arrow::bit_util::SetBitsTo(sink.fixed_data(), static_cast<int64_t>(at * bits),
                                 static_cast<int64_t>(CountRows(rows_) * bits), false);
      return Status::OK();
    }
    return page_.values_->Decode(left, Scale(rows_, page_.items_per_row_), sink.fixed_data(),
                                 at * page_.items_per_row_, sink.pool());
  }

 private:
  Status DecodeLevel(size_t depth, std::span<const Bytes> stored, LeafSink& sink,
                     uint64_t at) const {
    const FixedPage::Level& level = page_.levels_[depth];
    const uint64_t items = CountRows(rows_) * level.items_per_row;
    if (depth > 0) {
      if (!level.validity && !level.all_null) return Status::OK();
      ARROW_ASSIGN_OR_RAISE(uint8_t * bits, sink.ItemValidity(depth - 1));
      return DecodeBits(level, stored, bits, at * level.items_per_row, sink.pool());
    }
    if (level.all_null) return sink.AppendNulls(items);
    if (!level.validity) return sink.AppendValidity(nullptr, 0, items);
    std::vector<uint8_t> bits(BytesForBits(items));
    ARROW_RETURN_NOT_OK(DecodeBits(level, stored, bits.data(), 0, sink.pool()));
    return sink.AppendValidity(bits.data(), 0, items);
  }

  Status DecodeBits(const FixedPage::Level& level, std::span<const Bytes> stored, uint8_t* bits,
                    uint64_t at, arrow::MemoryPool* pool) const {
    const std::vector<RowRange> ranges = Scale(rows_, level.items_per_row);
    if (level.validity && !level.is_kept()) {
      return level.validity->Decode(stored, ranges, bits, at, pool);
    }
    for (const RowRange& range : ranges) {
      if (level.all_null) {
        arrow::bit_util::SetBitsTo(bits, static_cast<int64_t>(at),
                                   static_cast<int64_t>(range.count), false);
      } else {
        CopyBits(level.kept.data(), range.start, range.count, bits, at);
      }
      at += range.count;
    }
    return Status::OK();
  }

  const FixedPage& page_;
  std::vector<RowRange> rows_;
  std::vector<Bytes> bytes_;
  bool asked_ = false;
};

Result<const encodings::ArrayEncoding*> FixedPage::AddLevel(
    const encodings::ArrayEncoding& encoding, const BufferTable& buffers) {
  Level level;
  level.items_per_row = items_per_row_;
  const encodings::ArrayEncoding* values = &encoding;
  if (encoding.has_nullable()) {
    const auto& nullable = encoding.nullable();
    if (nullable.has_all_nulls()) {
      level.all_null = true;
      values = nullptr;
    } else if (nullable.has_some_nulls()) {
      ARROW_ASSIGN_OR_RAISE(level.validity,
                            FixedSource::Make(nullable.some_nulls().validity(), buffers, 1,
                                              num_rows_ * items_per_row_));
      values = &nullable.some_nulls().values();
    } else if (nullable.has_no_nulls()) {
      values = &nullable.no_nulls().values();
    } else {
      return Corrupt("page is described as nullable without saying how");
    }
  }
  levels_.push_back(std::move(level));
  return values;
}

Result<std::unique_ptr<PageReader>> FixedPage::Make(const encodings::ArrayEncoding& encoding,
                                                    const LeafShape& shape,
                                                    const BufferTable& buffers, uint64_t num_rows) {
  std::unique_ptr<FixedPage> page(new FixedPage(shape, num_rows));
  ARROW_ASSIGN_OR_RAISE(const auto* values, page->AddLevel(encoding, buffers));
  for (const uint32_t dimension : shape.dimensions) {
    if (values == nullptr) break;
    const auto& list = values->fixed_size_list();
    if (!values->has_fixed_size_list() || list.dimension() != dimension || list.has_validity()) {
      return values->has_fixed_size_list() ? Corrupt("page holds fixed-size lists of ",
                                                     list.dimension(), ", the column's ", dimension)
                                           : NotOfTheType(*values);
    }
    // A product of the dimensions of a column fits 32 bits, see MakeLeafShape().
    page->items_per_row_ *= dimension;
    if (num_rows > (uint64_t{1} << 62) / page->items_per_row_) {
      return Corrupt("page claims ", num_rows, " fixed-size lists");
    }
    ARROW_ASSIGN_OR_RAISE(values, page->AddLevel(list.items(), buffers));
  }
  if (values != nullptr) {
    ARROW_ASSIGN_OR_RAISE(
        page->values_, FixedSource::Make(*values, buffers, shape.value_bits / page->items_per_row_,
                                         num_rows * page->items_per_row_));
  }
  return std::unique_ptr<PageReader>(std::move(page));
}

Result<std::unique_ptr<PageReader>> FixedPage::MakePlain(const LeafShape& shape, PageBuffer buffer,
                                                         uint64_t num_rows) {
  std::unique_ptr<FixedPage> page(new FixedPage(shape, num_rows));
  page->levels_.emplace_back();
  for (const uint32_t dimension : shape.dimensions) page->items_per_row_ *= dimension;
  if (num_rows > (uint64_t{1} << 62) / page->items_per_row_) {
    return Corrupt("page claims ", num_rows, " fixed-size lists");
  }
  ARROW_ASSIGN_OR_RAISE(page->values_,
                        FixedSource::MakePlain(buffer, shape.value_bits / page->items_per_row_,
                                               num_rows * page->items_per_row_));
  return std::unique_ptr<PageReader>(std::move(page));
}

std::vector<NeededBytes> FixedPage::IndexNeeds() const {
  std::vector<NeededBytes> needs;
  for (const Level& level : levels_) {
    if (!level.is_kept()) continue;
    const PageBuffer& buffer = level.validity->buffer();
    needs.push_back({buffer.offset, buffer.size});
  }
  return needs;
}

Status FixedPage::LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool*) {
  for (Level& level : levels_) {
    if (!level.is_kept()) continue;
    level.kept.assign(bytes[0].begin(), bytes[0].end());
    bytes = bytes.subspan(1);
  }
  return Status::OK();
}

std::unique_ptr<PageCursor> FixedPage::Start(std::vector<RowRange> rows) const {
  return std::make_unique<FixedCursor>(*this, std::move(rows));
}

}  // namespace lance::encoding::v20
