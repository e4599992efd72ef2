#include "encoding/v20/packed_page.h"

#include "encoding/read/packed_struct.h"
#include "encodings20.pb.h"

namespace lance::encoding::v20 {

class PackedCursor final : public PageCursor {
 public:
  PackedCursor(const PackedPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {}

  Status Needs(LeafSink&, uint64_t, std::vector<NeededBytes>* needs) override {
    if (!asked_) page_.rows_.AddNeeds(rows_, nullptr, needs);
    asked_ = true;
    return Status::OK();
  }

  Status Feed(std::span<const Bytes> bytes) override {
    bytes_.assign(bytes.begin(), bytes.end());
    return Status::OK();
  }

  Status DecodeInto(LeafSink& sink, uint64_t at) override {
    const uint64_t row_bytes = page_.rows_.bits() / 8;
    for (const Bytes& range : bytes_) {
      for (uint64_t byte = 0; byte < range.size(); byte += row_bytes) {
        UnpackFixedRow(range.data() + byte, at++, sink);
      }
    }
    return sink.AppendValidity(nullptr, 0, CountRows(rows_));
  }

 private:
  const PackedPage& page_;
  std::vector<RowRange> rows_;
  std::vector<Bytes> bytes_;
  bool asked_ = false;
};

Result<std::unique_ptr<PageReader>> PackedPage::Make(const encodings::PackedStruct& encoding,
                                                     const LeafShape& shape,
                                                     const BufferTable& buffers,
                                                     uint64_t num_rows) {
  uint64_t row_bits = 0;
  for (const LeafShape& member : shape.members) {
    if (member.values != LeafShape::Values::kFixed || member.value_bits % 8 != 0) {
      return Corrupt("packed struct with a member that is not a whole number of bytes");
    }
    row_bits += member.value_bits;
  }
  if (static_cast<size_t>(encoding.inner_size()) != shape.members.size()) {
    return Corrupt("page holds packed structs of ", encoding.inner_size(),
                   " members, the column's ", "have ", shape.members.size());
  }
  ARROW_ASSIGN_OR_RAISE(PageBuffer buffer, buffers.Find(encoding.buffer()));
  ARROW_ASSIGN_OR_RAISE(auto rows, FixedSource::MakePlain(buffer, row_bits, num_rows));
  return std::unique_ptr<PageReader>(new PackedPage(shape, num_rows, rows));
}

std::unique_ptr<PageCursor> PackedPage::Start(std::vector<RowRange> rows) const {
  return std::make_unique<PackedCursor>(*this, std::move(rows));
}

}  // namespace lance::encoding::v20
