#include "encoding/v20/blob_page.h"

#include <cstring>

#include "arrow/util/bit_util.h"
#include "encoding/read/bit_copy.h"
#include "encodings20.pb.h"

namespace lance::encoding::v20 {
namespace {

struct BlobPlace {
  uint64_t position = 0;
  uint64_t size = 0;

  bool is_null() const { return size == 0 && position != 0; }
};

constexpr size_t kPositionMember = 0;
constexpr size_t kSizeMember = 1;

}  // namespace

// Two rounds: the places, then the bytes.
class BlobCursor final : public PageCursor {
 public:
  BlobCursor(const BlobPage& page, std::vector<RowRange> rows)
      : page_(page), rows_(std::move(rows)), count_(CountRows(rows_)) {}

  Status Needs(LeafSink& sink, uint64_t, std::vector<NeededBytes>* needs) override {
    if (step_ == Step::kPlaces) {
      step_ = Step::kBytes;
      page_.places_.AddNeeds(rows_, nullptr, needs);
    } else if (step_ == Step::kBytes) {
      step_ = Step::kDone;
      places_.resize(count_);
      ARROW_RETURN_NOT_OK(page_.places_.Decode(
          bytes_, rows_, reinterpret_cast<uint8_t*>(places_.data()), 0, sink.pool()));
      bytes_.clear();
      if (sink.shape().values != LeafShape::Values::kVariable) return Status::OK();
      for (const BlobPlace& place : places_) {
        if (place.size > 0) needs->push_back({place.position, place.size});
      }
    }
    return Status::OK();
  }

  Status Feed(std::span<const Bytes> bytes) override {
    bytes_.assign(bytes.begin(), bytes.end());
    return Status::OK();
  }

  Status DecodeInto(LeafSink& sink, uint64_t at) override {
    if (sink.shape().values == LeafShape::Values::kVariable) {
      ARROW_RETURN_NOT_OK(AppendBytes(sink));
    } else {
      WritePlaces(sink, at);
    }
    std::vector<uint8_t> validity(BytesForBits(count_), 0xff);
    bool has_nulls = false;
    for (uint64_t i = 0; i < count_; ++i) {
      if (!places_[i].is_null()) continue;
      has_nulls = true;
      arrow::bit_util::ClearBit(validity.data(), static_cast<int64_t>(i));
    }
    return sink.AppendValidity(has_nulls ? validity.data() : nullptr, 0, count_);
  }

 private:
  enum class Step : uint8_t { kPlaces, kBytes, kDone };

  Status AppendBytes(LeafSink& sink) const {
    uint64_t total = 0;
    for (const Bytes& value : bytes_) total += value.size();
    ARROW_RETURN_NOT_OK(sink.ReserveVariable(count_, total));
    size_t next = 0;
    for (const BlobPlace& place : places_) {
      const Bytes value = place.size > 0 ? bytes_[next++] : Bytes();
      if (!value.empty()) std::memcpy(sink.variable_end(), value.data(), value.size());
      sink.EndValue(value.size());
    }
    return Status::OK();
  }

  void WritePlaces(LeafSink& sink, uint64_t at) const {
    uint8_t* position = sink.member(kPositionMember).fixed_data() + at * sizeof(uint64_t);
    uint8_t* size = sink.member(kSizeMember).fixed_data() + at * sizeof(uint64_t);
    for (const BlobPlace& place : places_) {
      StoreLittleEndian(place.is_null() ? uint64_t{0} : place.position, position);
      StoreLittleEndian(place.size, size);
      position += sizeof(uint64_t);
      size += sizeof(uint64_t);
    }
  }

  const BlobPage& page_;
  std::vector<RowRange> rows_;
  uint64_t count_;
  Step step_ = Step::kPlaces;
  std::vector<Bytes> bytes_;
  std::vector<BlobPlace> places_;
};

Result<std::unique_ptr<PageReader>> BlobPage::Make(const encodings::PackedStruct& encoding,
                                                   const LeafShape& shape,
                                                   const BufferTable& buffers, uint64_t num_rows) {
  ARROW_ASSIGN_OR_RAISE(PageBuffer buffer, buffers.Find(encoding.buffer()));
  ARROW_ASSIGN_OR_RAISE(auto places,
                        FixedSource::MakePlain(buffer, sizeof(BlobPlace) * 8, num_rows));
  return std::unique_ptr<PageReader>(new BlobPage(shape, num_rows, places));
}

std::unique_ptr<PageCursor> BlobPage::Start(std::vector<RowRange> rows) const {
  return std::make_unique<BlobCursor>(*this, std::move(rows));
}

}  // namespace lance::encoding::v20
