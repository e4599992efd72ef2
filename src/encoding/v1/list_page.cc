#include "encoding/v1/list_page.h"

#include "encoding/item_span.h"

namespace lance::encoding::v1 {

class ListCursor final : public PageCursor {
 public:
  ListCursor(const ListPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {}

  Status Needs(LeafSink&, uint64_t, std::vector<NeededBytes>* needs) override {
    if (asked_) return Status::OK();
    asked_ = true;
    for (const RowRange& range : rows_) {
      needs->push_back({page_.buffers_[0].offset + range.start * page_.offset_bytes(),
                        (range.count + 1) * page_.offset_bytes()});
    }
    return Status::OK();
  }

  Status Feed(std::span<const Bytes> bytes) override {
    bytes_.assign(bytes.begin(), bytes.end());
    return Status::OK();
  }

  Status DecodeInto(LeafSink& sink, uint64_t at) override {
    auto* spans = reinterpret_cast<ItemSpan*>(sink.fixed_data()) + at;
    for (size_t i = 0; i < rows_.size(); ++i) {
      uint64_t begin = OffsetAt(bytes_[i], 0);
      for (uint64_t k = 0; k < rows_[i].count; ++k) {
        const uint64_t end = OffsetAt(bytes_[i], k + 1);
        if (end < begin || end > page_.num_items_) {
          return Corrupt("list ", rows_[i].start + k, " of a page has items ", begin, " to ", end,
                         " of ", page_.num_items_);
        }
        *spans++ = {page_.first_item_ + begin, page_.first_item_ + end};
        begin = end;
      }
    }
    return sink.AppendValidity(nullptr, 0, CountRows(rows_));
  }

 private:
  // A negative offset becomes one that is too large.
  uint64_t OffsetAt(Bytes offsets, uint64_t i) const {
    if (page_.large_offsets_) return LoadLittleEndian<uint64_t>(offsets.data() + i * 8);
    return LoadLittleEndian<uint32_t>(offsets.data() + i * 4);
  }

  const ListPage& page_;
  std::vector<RowRange> rows_;
  std::vector<Bytes> bytes_;
  bool asked_ = false;
};

Result<std::unique_ptr<PageReader>> ListPage::Make(const LeafShape& shape, PageBuffer offsets,
                                                   uint64_t num_rows, bool large_offsets,
                                                   uint64_t first_item, uint64_t num_items) {
  std::unique_ptr<ListPage> page(new ListPage(shape, offsets, num_rows));
  page->large_offsets_ = large_offsets;
  page->first_item_ = first_item;
  page->num_items_ = num_items;
  if (num_rows >= offsets.size / page->offset_bytes()) {
    return Corrupt("page of ", num_rows, " lists has only ", offsets.size,
                   " bytes for their offsets");
  }
  return std::unique_ptr<PageReader>(std::move(page));
}

std::unique_ptr<PageCursor> ListPage::Start(std::vector<RowRange> rows) const {
  return std::make_unique<ListCursor>(*this, std::move(rows));
}

}  // namespace lance::encoding::v1
