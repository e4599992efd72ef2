#include "encoding/v1/binary_page.h"

#include <cstring>

#include "arrow/util/bit_util.h"
#include "encoding/read/bit_copy.h"

namespace lance::encoding::v1 {

class BinaryCursor final : public PageCursor {
 public:
  BinaryCursor(const BinaryPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)) {}

  Status Needs(LeafSink&, uint64_t, std::vector<NeededBytes>* needs) override {
    if (step_ == Step::kOffsets) {
      step_ = Step::kBytes;
      for (const RowRange& range : rows_) {
        needs->push_back({page_.buffers_[0].offset + range.start * sizeof(uint64_t),
                          (range.count + 1) * sizeof(uint64_t)});
      }
    } else if (step_ == Step::kBytes) {
      step_ = Step::kDone;
      ARROW_RETURN_NOT_OK(TakeOffsets());
      const uint64_t* offset = offsets_.data();
      for (const RowRange& range : rows_) {
        needs->push_back({offset[0], offset[range.count] - offset[0]});
        offset += range.count + 1;
      }
    }
    return Status::OK();
  }

  Status Feed(std::span<const Bytes> bytes) override {
    bytes_.assign(bytes.begin(), bytes.end());
    return Status::OK();
  }

  Status DecodeInto(LeafSink& sink, uint64_t) override {
    uint64_t total = 0;
    for (const Bytes& bytes : bytes_) total += bytes.size();
    const uint64_t count = CountRows(rows_);
    ARROW_RETURN_NOT_OK(sink.ReserveVariable(count, total));
    std::vector<uint8_t> validity(BytesForBits(count), 0xff);
    bool has_nulls = false;
    int64_t row = 0;
    const uint64_t* offset = offsets_.data();
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!bytes_[i].empty()) std::memcpy(sink.variable_end(), bytes_[i].data(), bytes_[i].size());
      sink.EndValues(offset + 1, offset[0], rows_[i].count);
      for (uint64_t k = 0; k < rows_[i].count; ++k, ++row) {
        if (!page_.empty_is_null_ || offset[k] != offset[k + 1]) continue;
        has_nulls = true;
        arrow::bit_util::ClearBit(validity.data(), row);
      }
      offset += rows_[i].count + 1;
    }
    return sink.AppendValidity(has_nulls ? validity.data() : nullptr, 0, count);
  }

 private:
  enum class Step : uint8_t { kOffsets, kBytes, kDone };

  Status TakeOffsets() {
    offsets_.resize(CountRows(rows_) + rows_.size());
    uint64_t* offset = offsets_.data();
    for (size_t i = 0; i < rows_.size(); ++i) {
      std::memcpy(offset, bytes_[i].data(), bytes_[i].size());
      for (uint64_t k = 0; k < rows_[i].count; ++k) {
        if (offset[k + 1] >= offset[k]) continue;
        return Corrupt("value ", rows_[i].start + k, " of a page starts at ", offset[k],
                       " and ends at ", offset[k + 1]);
      }
      if (offset[rows_[i].count] > page_.buffers_[0].offset) {
        return Corrupt("values of a page end at ", offset[rows_[i].count],
                       ", behind the start of their offsets at ", page_.buffers_[0].offset);
      }
      offset += rows_[i].count + 1;
    }
    return Status::OK();
  }

  const BinaryPage& page_;
  std::vector<RowRange> rows_;
  Step step_ = Step::kOffsets;
  std::vector<Bytes> bytes_;
  std::vector<uint64_t> offsets_;
};

Result<std::unique_ptr<PageReader>> BinaryPage::Make(const LeafShape& shape, PageBuffer offsets,
                                                     uint64_t num_rows, bool empty_is_null) {
  if (num_rows >= offsets.size / sizeof(uint64_t)) {
    return Corrupt("page of ", num_rows, " values has only ", offsets.size,
                   " bytes for their offsets");
  }
  return std::unique_ptr<PageReader>(new BinaryPage(shape, offsets, num_rows, empty_is_null));
}

std::unique_ptr<PageCursor> BinaryPage::Start(std::vector<RowRange> rows) const {
  return std::make_unique<BinaryCursor>(*this, std::move(rows));
}

}  // namespace lance::encoding::v1
