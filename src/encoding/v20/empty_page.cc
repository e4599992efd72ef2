#include "encoding/v20/empty_page.h"

#include "arrow/util/bit_util.h"

namespace lance::encoding::v20 {
namespace {

class EmptyCursor final : public PageCursor {
 public:
  explicit EmptyCursor(std::vector<RowRange> rows) : rows_(std::move(rows)) {}

  Status Needs(LeafSink&, uint64_t, std::vector<NeededBytes>*) override { return Status::OK(); }
  Status Feed(std::span<const Bytes>) override { return Status::OK(); }

  Status DecodeInto(LeafSink& sink, uint64_t at) override {
    const uint64_t count = CountRows(rows_);
    const LeafShape& shape = sink.shape();
    switch (shape.values) {
      case LeafShape::Values::kNone:
      case LeafShape::Values::kEmptyStruct:
        // No bitmap: none of them is valid, or all are.
        return sink.AppendValidity(nullptr, 0, count);
      case LeafShape::Values::kVariable:
        ARROW_RETURN_NOT_OK(sink.ReserveVariable(count, 0));
        for (uint64_t i = 0; i < count; ++i) sink.EndValue(0);
        break;
      case LeafShape::Values::kFixed:
        if (shape.is_dictionary) sink.StartDictionary(nullptr, at);
        arrow::bit_util::SetBitsTo(sink.fixed_data(), static_cast<int64_t>(at * shape.value_bits),
                                   static_cast<int64_t>(count * shape.value_bits), false);
        break;
      default:
        break;
    }
    return sink.AppendNulls(count);
  }

 private:
  std::vector<RowRange> rows_;
};

}  // namespace

std::unique_ptr<PageCursor> EmptyPage::Start(std::vector<RowRange> rows) const {
  return std::make_unique<EmptyCursor>(std::move(rows));
}

}  // namespace lance::encoding::v20
