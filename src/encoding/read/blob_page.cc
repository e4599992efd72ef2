#include "encoding/read/blob_page.h"

#include <cstring>

#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

constexpr size_t kPositionMember = 0;
constexpr size_t kSizeMember = 1;
constexpr uint32_t kRepetitionBits = 16;

LeafShape MakePlacesShape() {
  LeafShape number;
  number.value_bits = 64;
  LeafShape shape;
  shape.values = LeafShape::Values::kPackedStruct;
  shape.value_bits = 128;
  shape.members = {number, number};
  shape.layers = {{LayerKind::kItem}};
  return shape;
}

}  // namespace

const LeafShape& BlobPlacesShape() {
  static const auto* const shape = new LeafShape(MakePlacesShape());
  return *shape;
}

// Three rounds: what the inner page needs (one or two), then the bytes of the values.
class BlobCursor final : public PageCursor {
 public:
  BlobCursor(const BlobPage& page, std::vector<RowRange> rows)
      : page_(page), count_(CountRows(rows)), inner_(page.places_->Start(std::move(rows))) {}

  Status Needs(LeafSink& sink, uint64_t, std::vector<NeededBytes>* needs) override {
    if (places_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(places_, LeafSink::Make(BlobPlacesShape(), count_, sink.pool()));
      ARROW_RETURN_NOT_OK(places_->AppendFixed(count_).status());
    }
    if (located_) return Status::OK();
    ARROW_RETURN_NOT_OK(inner_->Needs(*places_, 0, needs));
    if (!needs->empty()) return Status::OK();
    ARROW_RETURN_NOT_OK(Locate());
    if (sink.shape().values != LeafShape::Values::kVariable) return Status::OK();
    for (uint64_t i = 0; i < count_; ++i) {
      if (Size(i) > 0) needs->push_back({Position(i), Size(i)});
    }
    return Status::OK();
  }

  Status Feed(std::span<const Bytes> bytes) override {
    if (!located_) return inner_->Feed(bytes);
    values_.assign(bytes.begin(), bytes.end());
    return Status::OK();
  }

  Status DecodeInto(LeafSink& sink, uint64_t at) override {
    ARROW_RETURN_NOT_OK(sink.AppendLevels(nullptr,
                                          definitions_.empty() ? nullptr : definitions_.data(),
                                          page_.levels_.to_canonical, count_));
    if (sink.shape().values == LeafShape::Values::kVariable) return AppendBytes(sink);
    for (const size_t member : {kPositionMember, kSizeMember}) {
      std::memcpy(sink.member(member).fixed_data() + at * sizeof(uint64_t),
                  places_->member(member).fixed_data(), count_ * sizeof(uint64_t));
    }
    return Status::OK();
  }

 private:
  uint64_t Position(uint64_t i) const { return Number(kPositionMember, i); }
  uint64_t Size(uint64_t i) const { return Number(kSizeMember, i); }
  uint64_t Number(size_t member, uint64_t i) const {
    return LoadLittleEndian<uint64_t>(places_->member(member).fixed_data() + i * sizeof(uint64_t));
  }

  // Decodes the places and takes the nulls out of them.
  Status Locate() {
    ARROW_RETURN_NOT_OK(inner_->DecodeInto(*places_, 0));
    if (places_->has_def()) return Corrupt("positions of blobs have levels of their own");
    for (uint64_t i = 0; i < count_; ++i) {
      if (Size(i) > 0 || Position(i) == 0) continue;
      const uint64_t definition = Position(i) >> kRepetitionBits;
      const uint64_t repetition = Position(i) & ((uint64_t{1} << kRepetitionBits) - 1);
      if (definition > page_.levels_.max_def || repetition != 0) {
        return Corrupt("null blob with levels ", repetition, " and ", definition,
                       ", at most 0 and ", page_.levels_.max_def, " are possible");
      }
      if (definitions_.empty()) definitions_.resize(count_, 0);
      definitions_[i] = static_cast<uint16_t>(definition);
      StoreLittleEndian(uint64_t{0},
                        places_->member(kPositionMember).fixed_data() + i * sizeof(uint64_t));
    }
    located_ = true;
    return Status::OK();
  }

  Status AppendBytes(LeafSink& sink) const {
    uint64_t total = 0;
    for (const Bytes& value : values_) total += value.size();
    ARROW_RETURN_NOT_OK(sink.ReserveVariable(count_, total));
    size_t next = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      const Bytes value = Size(i) > 0 ? values_[next++] : Bytes();
      if (!value.empty()) std::memcpy(sink.variable_end(), value.data(), value.size());
      sink.EndValue(value.size());
    }
    return Status::OK();
  }

  const BlobPage& page_;
  uint64_t count_;
  std::unique_ptr<PageCursor> inner_;
  std::unique_ptr<LeafSink> places_;
  bool located_ = false;
  std::vector<uint16_t> definitions_;  ///< empty when all values are valid
  std::vector<Bytes> values_;          ///< of the rows with a size
};

Result<std::unique_ptr<PageReader>> BlobPage::Make(const encodings21::BlobLayout& layout,
                                                   const LeafShape& shape,
                                                   std::vector<PageBuffer> buffers,
                                                   uint64_t num_rows, bool version_2_1) {
  if (!shape.is_blob) return Corrupt("page of blobs in a column that is none");
  if (shape.has_lists()) return Unsupported("blobs inside lists");
  std::unique_ptr<BlobPage> page(new BlobPage(shape, buffers, num_rows));
  ARROW_ASSIGN_OR_RAISE(page->levels_,
                        PageLevels::Make({layout.layers().begin(), layout.layers().end()}, shape));
  ARROW_ASSIGN_OR_RAISE(page->places_, PageReader::Make(layout.inner_layout(), BlobPlacesShape(),
                                                        std::move(buffers), num_rows, version_2_1));
  return std::unique_ptr<PageReader>(std::move(page));
}

std::unique_ptr<PageCursor> BlobPage::Start(std::vector<RowRange> rows) const {
  return std::make_unique<BlobCursor>(*this, std::move(rows));
}

}  // namespace lance::encoding
