#include "encoding/v20/fixed_size_binary_page.h"

#include "encoding/v20/encoding_kind.h"
#include "encodings20.pb.h"

namespace lance::encoding::v20 {

class FixedSizeBinaryCursor final : public PageCursor {
 public:
  FixedSizeBinaryCursor(const FixedSizeBinaryPage& page, const std::vector<RowRange>& rows)
      : page_(page), count_(CountRows(rows)) {
    for (const RowRange& range : rows) {
      bytes_wanted_.push_back({range.start * page.value_bytes_, range.count * page.value_bytes_});
    }
  }

  Status Needs(LeafSink&, uint64_t, std::vector<NeededBytes>* needs) override {
    if (!asked_) page_.bytes_.AddNeeds(bytes_wanted_, nullptr, needs);
    asked_ = true;
    return Status::OK();
  }

  Status Feed(std::span<const Bytes> bytes) override {
    stored_.assign(bytes.begin(), bytes.end());
    return Status::OK();
  }

  Status DecodeInto(LeafSink& sink, uint64_t) override {
    ARROW_RETURN_NOT_OK(sink.ReserveVariable(count_, count_ * page_.value_bytes_));
    ARROW_RETURN_NOT_OK(
        page_.bytes_.Decode(stored_, bytes_wanted_, sink.variable_end(), 0, sink.pool()));
    for (uint64_t i = 0; i < count_; ++i) sink.EndValue(page_.value_bytes_);
    return sink.AppendValidity(nullptr, 0, count_);
  }

 private:
  const FixedSizeBinaryPage& page_;
  uint64_t count_;
  std::vector<RowRange> bytes_wanted_;
  std::vector<Bytes> stored_;
  bool asked_ = false;
};

Result<std::unique_ptr<PageReader>> FixedSizeBinaryPage::Make(
    const encodings::FixedSizeBinary& encoding, const LeafShape& shape, const BufferTable& buffers,
    uint64_t num_rows) {
  const uint64_t width = encoding.byte_width();
  if (width != 0 && num_rows > (uint64_t{1} << 60) / width) {
    return Corrupt("page claims ", num_rows, " values of ", width, " bytes");
  }
  ARROW_ASSIGN_OR_RAISE(const auto* bytes, WithoutNulls(encoding.bytes()));
  ARROW_ASSIGN_OR_RAISE(auto source, FixedSource::Make(*bytes, buffers, 8, num_rows * width));
  return std::unique_ptr<PageReader>(new FixedSizeBinaryPage(shape, num_rows, width, source));
}

std::unique_ptr<PageCursor> FixedSizeBinaryPage::Start(std::vector<RowRange> rows) const {
  return std::make_unique<FixedSizeBinaryCursor>(*this, rows);
}

}  // namespace lance::encoding::v20
