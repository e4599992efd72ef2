#include "encoding/v20/binary_page.h"

#include <cstring>

#include "arrow/buffer.h"
#include "arrow/util/bit_util.h"
#include "encoding/read/bit_copy.h"
#include "encodings20.pb.h"

namespace lance::encoding::v20 {

class BinaryCursor final : public PageCursor {
 public:
  BinaryCursor(const BinaryPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {}

  Status Needs(LeafSink& sink, uint64_t, std::vector<NeededBytes>* needs) override {
    switch (step_) {
      case Step::kEnds:
        page_.ends_.AddNeeds(rows_, needs);
        // The whole of a compressed buffer is needed whatever the ends are.
        if (page_.bytes_.is_compressed()) page_.bytes_.AddNeeds({}, nullptr, needs);
        step_ = Step::kBytes;
        return Status::OK();
      case Step::kBytes:
        step_ = Step::kDone;
        ARROW_RETURN_NOT_OK(TakeEnds(sink.pool()));
        if (!page_.bytes_.is_compressed()) {
          ARROW_RETURN_NOT_OK(CheckBytes(page_.bytes_.buffer().size));
          page_.bytes_.AddNeeds(values_, nullptr, needs);
        }
        return Status::OK();
      case Step::kDone:
        break;
    }
    return Status::OK();
  }

  Status Feed(std::span<const Bytes> bytes) override {
    bytes_.assign(bytes.begin(), bytes.end());
    return Status::OK();
  }

  Status DecodeInto(LeafSink& sink, uint64_t) override {
    std::shared_ptr<arrow::Buffer> expanded;
    if (page_.bytes_.is_compressed()) {
      ARROW_ASSIGN_OR_RAISE(expanded, page_.bytes_.Decompress(bytes_.back(), sink.pool()));
      ARROW_RETURN_NOT_OK(CheckBytes(static_cast<uint64_t>(expanded->size())));
    }
    uint64_t total = 0;
    for (const RowRange& range : values_) total += range.count;
    ARROW_RETURN_NOT_OK(sink.ReserveVariable(CountRows(rows_), total));
    const uint64_t* ends = ends_.data();
    for (size_t i = 0; i < rows_.size(); ++i) {
      const RowRange& values = values_[i];
      const uint8_t* bytes =
          expanded != nullptr ? expanded->data() + values.start : bytes_[i].data();
      ARROW_RETURN_NOT_OK(DecodeRange({bytes, values.count}, ends, rows_[i].count, sink));
      ends += rows_[i].count + 1;
    }
    if (has_nulls_) return sink.AppendValidity(validity_.data(), 0, CountRows(rows_));
    return sink.AppendValidity(nullptr, 0, CountRows(rows_));
  }

 private:
  enum class Step : uint8_t { kEnds, kBytes, kDone };

  // Takes the adjustment of nulls off the ends, and notes which are null.
  Status TakeEnds(arrow::MemoryPool* pool) {
    const size_t needs = page_.ends_.CountNeeds(rows_.size());
    ARROW_ASSIGN_OR_RAISE(ends_, page_.ends_.Decode(std::span(bytes_).first(needs), rows_, pool));
    const uint64_t adjustment = page_.null_adjustment_;
    validity_.assign(BytesForBits(CountRows(rows_)), 0xff);
    uint64_t* end = ends_.data();
    uint64_t row = 0;
    for (const RowRange& range : rows_) {
      // A page that starts here has no end before its first row.
      if (range.start != 0 && *end >= adjustment) *end -= adjustment;
      const uint64_t start = *end++;
      uint64_t last = start;
      for (uint64_t i = 0; i < range.count; ++i, ++row, ++end) {
        if (*end >= adjustment) {
          *end -= adjustment;
          has_nulls_ = true;
          arrow::bit_util::ClearBit(validity_.data(), static_cast<int64_t>(row));
        }
        if (*end < last) {
          return Corrupt("value ", range.start + i, " of a page ends at byte ", *end,
                         ", before its start at ", last);
        }
        last = *end;
      }
      values_.push_back({start, last - start});
    }
    return Status::OK();
  }

  Status CheckBytes(uint64_t available) const {
    for (const RowRange& range : values_) {
      if (range.end() <= available) continue;
      return Corrupt("values of a page end at byte ", range.end(), " of ", available);
    }
    return Status::OK();
  }

  // `ends[0]` is where the bytes start, then there is one end a row.
  Status DecodeRange(Bytes bytes, const uint64_t* ends, uint64_t count, LeafSink& sink) const {
    if (!page_.fsst_) {
      if (!bytes.empty()) std::memcpy(sink.variable_end(), bytes.data(), bytes.size());
      sink.EndValues(ends + 1, ends[0], count);
      return Status::OK();
    }
    for (uint64_t i = 0; i < count; ++i) {
      const Bytes codes = bytes.subspan(ends[i] - ends[0], ends[i + 1] - ends[i]);
      ARROW_RETURN_NOT_OK(sink.ReserveVariable(0, FsstDecoder::MaxDecodedBytes(codes.size())));
      uint8_t* start = sink.variable_end();
      const uint8_t* end = page_.fsst_->Decode(codes, start);
      if (end == nullptr) return FsstDecoder::BadCodes();
      sink.EndValue(static_cast<uint64_t>(end - start));
    }
    return Status::OK();
  }

  const BinaryPage& page_;
  std::vector<RowRange> rows_;
  Step step_ = Step::kEnds;
  std::vector<Bytes> bytes_;
  std::vector<uint64_t> ends_;
  std::vector<uint8_t> validity_;
  bool has_nulls_ = false;
  std::vector<RowRange> values_;  ///< where the values of each range lie in the bytes
};

Result<std::unique_ptr<PageReader>> BinaryPage::Make(const encodings::Binary& encoding,
                                                     const LeafShape& shape,
                                                     const BufferTable& buffers,
                                                     uint64_t num_rows) {
  ARROW_ASSIGN_OR_RAISE(auto ends, EndOffsets::Make(encoding.indices(), buffers, num_rows));
  ARROW_ASSIGN_OR_RAISE(auto bytes, FixedSource::MakeBytes(encoding.bytes(), buffers));
  return std::unique_ptr<PageReader>(
      new BinaryPage(shape, num_rows, ends, bytes, encoding.null_adjustment()));
}

Result<std::unique_ptr<PageReader>> BinaryPage::Make(const encodings::Fsst& encoding,
                                                     const LeafShape& shape,
                                                     const BufferTable& buffers,
                                                     uint64_t num_rows) {
  if (!encoding.binary().has_binary()) return Corrupt("FSST page without strings");
  ARROW_ASSIGN_OR_RAISE(auto page, Make(encoding.binary().binary(), shape, buffers, num_rows));
  ARROW_ASSIGN_OR_RAISE(static_cast<BinaryPage&>(*page).fsst_,
                        FsstDecoder::Parse(AsBytes(encoding.symbol_table())));
  return page;
}

std::unique_ptr<PageCursor> BinaryPage::Start(std::vector<RowRange> rows) const {
  return std::make_unique<BinaryCursor>(*this, std::move(rows));
}

}  // namespace lance::encoding::v20
