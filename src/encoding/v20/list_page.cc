#include "encoding/v20/list_page.h"

#include <cstring>

#include "arrow/util/bit_util.h"
#include "encoding/item_span.h"
#include "encoding/read/bit_copy.h"
#include "encodings20.pb.h"

namespace lance::encoding::v20 {

class ListCursor final : public PageCursor {
 public:
  ListCursor(const ListPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {}

  Status Needs(LeafSink&, uint64_t, std::vector<NeededBytes>* needs) override {
    if (!asked_) page_.ends_.AddNeeds(rows_, needs);
    asked_ = true;
    return Status::OK();
  }

  Status Feed(std::span<const Bytes> bytes) override {
    bytes_.assign(bytes.begin(), bytes.end());
    return Status::OK();
  }

  Status DecodeInto(LeafSink& sink, uint64_t at) override {
    ARROW_ASSIGN_OR_RAISE(std::vector<uint64_t> ends,
                          page_.ends_.Decode(bytes_, rows_, sink.pool()));
    const uint64_t adjustment = page_.null_adjustment_;
    std::vector<uint8_t> validity(BytesForBits(CountRows(rows_)), 0xff);
    auto* spans = reinterpret_cast<ItemSpan*>(sink.fixed_data()) + at;
    bool has_nulls = false;
    int64_t row = 0;
    const uint64_t* end = ends.data();
    for (const RowRange& range : rows_) {
      uint64_t begin = *end++ % adjustment;
      for (uint64_t i = 0; i < range.count; ++i, ++row, ++end) {
        const uint64_t last = *end % adjustment;
        if (last < begin || last > page_.num_items_) {
          return Corrupt("list ", range.start + i, " of a page has items ", begin, " to ", last,
                         " of ", page_.num_items_);
        }
        const bool valid = *end < adjustment;
        // A null list may span items, which nobody sees.
        spans[row] = {page_.first_item_ + begin, page_.first_item_ + (valid ? last : begin)};
        if (!valid) {
          has_nulls = true;
          arrow::bit_util::ClearBit(validity.data(), row);
        }
        begin = last;
      }
    }
    return sink.AppendValidity(has_nulls ? validity.data() : nullptr, 0, CountRows(rows_));
  }

 private:
  const ListPage& page_;
  std::vector<RowRange> rows_;
  std::vector<Bytes> bytes_;
  bool asked_ = false;
};

Result<std::unique_ptr<PageReader>> ListPage::Make(const encodings::List& encoding,
                                                   const LeafShape& shape,
                                                   const BufferTable& buffers, uint64_t num_rows,
                                                   uint64_t first_item) {
  ARROW_ASSIGN_OR_RAISE(auto ends, EndOffsets::Make(encoding.offsets(), buffers, num_rows));
  std::unique_ptr<ListPage> page(new ListPage(shape, num_rows, ends));
  page->null_adjustment_ = encoding.null_offset_adjustment();
  page->num_items_ = encoding.num_items();
  page->first_item_ = first_item;
  if (num_rows > 0 && page->null_adjustment_ <= page->num_items_) {
    return Corrupt("list page with ", page->num_items_, " items marks nulls by adding ",
                   page->null_adjustment_);
  }
  return std::unique_ptr<PageReader>(std::move(page));
}

std::unique_ptr<PageCursor> ListPage::Start(std::vector<RowRange> rows) const {
  return std::make_unique<ListCursor>(*this, std::move(rows));
}

}  // namespace lance::encoding::v20
