#include "encoding/read/sequence.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "encoding/read/encoding_name.h"
#include "encodings21.pb.h"

namespace lance::encoding {

using encodings21::CompressiveEncoding;
using Made = Result<std::unique_ptr<SequenceDecoder>>;
using Numbers = std::vector<uint64_t>;

namespace {

constexpr uint64_t kMaxDictionaryItems = 4096;

Status TooShort(const char* what, uint64_t have, uint64_t want) {
  return Corrupt("sequence: ", what, " give ", have, " numbers, expected ", want);
}

uint64_t Narrow(uint64_t bits) { return bits == 32 ? std::numeric_limits<uint32_t>::max() : ~0ull; }

bool IsWidth(uint64_t bits) { return bits == 32 || bits == 64; }

class ConstantSequence final : public SequenceDecoder {
 public:
  explicit ConstantSequence(std::optional<uint64_t> value) : value_(value) {}
  bool has_payload() const override { return false; }

 protected:
  Status DecodeInto(Bytes, Numbers* out) const override {
    if (out->empty()) return Status::OK();
    if (!value_) return Corrupt("sequence: ", out->size(), " numbers of no value");
    std::fill(out->begin(), out->end(), *value_);
    return Status::OK();
  }
  Result<uint64_t> CountIn(Bytes, uint64_t total) const override {
    if (!value_ || *value_ == 0 || total % *value_ != 0) {
      return Corrupt("sequence: runs of equal lengths don't make ", total, " numbers");
    }
    return total / *value_;
  }

 private:
  std::optional<uint64_t> value_;
};

class RangeSequence final : public SequenceDecoder {
 public:
  RangeSequence(uint64_t bits, uint64_t start, uint64_t step)
      : bits_(bits), start_(start), step_(step) {}
  bool has_payload() const override { return false; }

 protected:
  Status DecodeInto(Bytes, Numbers* out) const override {
    if (out->empty()) return Status::OK();
    const uint64_t last = out->size() - 1;
    if (start_ > Narrow(bits_) || (last > 0 && step_ > (Narrow(bits_) - start_) / last)) {
      return Corrupt("sequence: range from ", start_, " by ", step_, " leaves ", bits_, " bits");
    }
    for (uint64_t i = 0; i <= last; ++i) (*out)[i] = start_ + step_ * i;
    return Status::OK();
  }
  // Lengths start, start + step, … that sum to the total.
  Result<uint64_t> CountIn(Bytes, uint64_t total) const override {
    uint64_t count = 0;
    uint64_t length = start_;
    while (total > 0 && length > 0 && length <= total) {
      total -= length;
      ++count;
      if (length > std::numeric_limits<uint64_t>::max() - step_) break;
      length += step_;
    }
    if (total > 0) return Corrupt("sequence: run lengths of a range don't fit the numbers");
    return count;
  }

 private:
  uint64_t bits_;
  uint64_t start_;
  uint64_t step_;
};

class BlockSequence final : public SequenceDecoder {
 public:
  BlockSequence(std::unique_ptr<BlockDecoder> block, bool is_flat)
      : block_(std::move(block)), is_flat_(is_flat) {}
  bool has_payload() const override { return true; }

 protected:
  Status DecodeInto(Bytes payload, Numbers* out) const override {
    if (out->empty()) return Status::OK();
    auto* bytes = reinterpret_cast<uint8_t*>(out->data());
    ARROW_RETURN_NOT_OK(block_->DecodeFixed(payload, out->size(), bytes));
    if (block_->value_bits() == 64) return Status::OK();
    for (uint64_t i = out->size(); i-- > 0;) {
      (*out)[i] = LoadLittleEndian<uint32_t>(bytes + i * sizeof(uint32_t));
    }
    return Status::OK();
  }
  Result<uint64_t> CountIn(Bytes payload, uint64_t total) const override {
    if (!is_flat_) return SequenceDecoder::CountIn(payload, total);
    return payload.size() / (block_->value_bits() / 8);
  }

 private:
  std::unique_ptr<BlockDecoder> block_;
  bool is_flat_;
};

Result<uint64_t> LoadConstant(const std::string& value) {
  const Bytes bytes = AsBytes(value);
  if (bytes.size() == sizeof(uint32_t)) return LoadLittleEndian<uint32_t>(bytes.data());
  if (bytes.size() == sizeof(uint64_t)) return LoadLittleEndian<uint64_t>(bytes.data());
  return Corrupt("sequence: constant of ", bytes.size(), " bytes");
}

Made MakeBlock(const CompressiveEncoding& encoding) {
  ARROW_ASSIGN_OR_RAISE(auto block, BlockDecoder::Make(encoding));
  if (block->variable() || !IsWidth(block->value_bits())) {
    return Corrupt("sequence encoded as ", EncodingName(encoding));
  }
  return std::make_unique<BlockSequence>(std::move(block), encoding.has_flat());
}

}  // namespace

class DeltaSequence final : public SequenceDecoder {
 public:
  DeltaSequence(uint64_t bits, uint64_t base, std::unique_ptr<SequenceDecoder> deltas)
      : bits_(bits), base_(base), deltas_(std::move(deltas)) {}
  bool has_payload() const override { return deltas_->has_payload(); }

 protected:
  Status DecodeInto(Bytes payload, Numbers* out) const override {
    if (out->empty()) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(Numbers deltas, deltas_->Decode(payload, out->size() - 1));
    uint64_t sum = base_;
    (*out)[0] = sum;
    for (uint64_t i = 0; i < deltas.size(); ++i) {
      if (sum > Narrow(bits_) || deltas[i] > Narrow(bits_) - sum) {
        return Corrupt("sequence: sum of differences leaves ", bits_, " bits");
      }
      sum += deltas[i];
      (*out)[i + 1] = sum;
    }
    return Status::OK();
  }

 private:
  uint64_t bits_;
  uint64_t base_;
  std::unique_ptr<SequenceDecoder> deltas_;
};

class RleSequence final : public SequenceDecoder {
 public:
  RleSequence(std::unique_ptr<SequenceDecoder> values, std::unique_ptr<SequenceDecoder> lengths)
      : values_(std::move(values)), lengths_(std::move(lengths)) {}
  bool has_payload() const override { return values_->has_payload() || lengths_->has_payload(); }

 protected:
  Status DecodeInto(Bytes payload, Numbers* out) const override {
    if (out->empty()) return Status::OK();
    Bytes value_bytes;
    Bytes length_bytes;
    if (has_payload()) {
      ByteReader reader(payload);
      ARROW_ASSIGN_OR_RAISE(uint64_t size, reader.Read<uint64_t>("size of run values"));
      ARROW_ASSIGN_OR_RAISE(value_bytes, reader.ReadBytes(size, "run values"));
      ARROW_ASSIGN_OR_RAISE(length_bytes, reader.ReadBytes(reader.remaining(), "run lengths"));
    }
    ARROW_ASSIGN_OR_RAISE(uint64_t runs, CountRuns(value_bytes, length_bytes, out->size()));
    if (runs > out->size())
      return Corrupt("sequence: ", runs, " runs of ", out->size(), " numbers");
    ARROW_ASSIGN_OR_RAISE(Numbers values, values_->Decode(value_bytes, runs));
    ARROW_ASSIGN_OR_RAISE(Numbers lengths, lengths_->Decode(length_bytes, runs));
    uint64_t done = 0;
    for (uint64_t run = 0; run < runs; ++run) {
      if (lengths[run] == 0 || lengths[run] > out->size() - done) {
        return Corrupt("sequence: run ", run, " has length ", lengths[run]);
      }
      std::fill_n(out->begin() + static_cast<ptrdiff_t>(done), lengths[run], values[run]);
      done += lengths[run];
    }
    if (done != out->size()) return TooShort("runs", done, out->size());
    return Status::OK();
  }

 private:
  // From the lengths where they are a rule, else from whichever payload is plain.
  Result<uint64_t> CountRuns(Bytes values, Bytes lengths, uint64_t total) const {
    if (!lengths_->has_payload()) return lengths_->CountIn(lengths, total);
    if (values_->has_payload()) {
      auto count = values_->CountIn(values, total);
      if (count.ok()) return count;
    }
    return lengths_->CountIn(lengths, total);
  }

  std::unique_ptr<SequenceDecoder> values_;
  std::unique_ptr<SequenceDecoder> lengths_;
};

class DictionarySequence final : public SequenceDecoder {
 public:
  DictionarySequence(std::unique_ptr<SequenceDecoder> indices,
                     std::unique_ptr<SequenceDecoder> items, uint64_t num_items)
      : indices_(std::move(indices)), items_(std::move(items)), num_items_(num_items) {}
  bool has_payload() const override { return indices_->has_payload() || items_->has_payload(); }

 protected:
  Status DecodeInto(Bytes payload, Numbers* out) const override {
    if (out->empty()) return Status::OK();
    Bytes index_bytes;
    Bytes item_bytes;
    if (has_payload()) {
      ByteReader reader(payload);
      ARROW_ASSIGN_OR_RAISE(uint64_t index_size, reader.Read<uint64_t>("size of indices"));
      ARROW_ASSIGN_OR_RAISE(uint64_t item_size, reader.Read<uint64_t>("size of items"));
      ARROW_ASSIGN_OR_RAISE(index_bytes, reader.ReadBytes(index_size, "indices"));
      ARROW_ASSIGN_OR_RAISE(item_bytes, reader.ReadBytes(item_size, "items"));
    }
    ARROW_ASSIGN_OR_RAISE(Numbers items, items_->Decode(item_bytes, num_items_));
    ARROW_ASSIGN_OR_RAISE(Numbers indices, indices_->Decode(index_bytes, out->size()));
    for (uint64_t i = 0; i < indices.size(); ++i) {
      if (indices[i] >= items.size()) {
        return Corrupt("sequence: index ", indices[i], " of ", items.size(), " items");
      }
      (*out)[i] = items[indices[i]];
    }
    return Status::OK();
  }

 private:
  std::unique_ptr<SequenceDecoder> indices_;
  std::unique_ptr<SequenceDecoder> items_;
  uint64_t num_items_;
};

namespace {

// Those that may be parts of others.
Made MakeSimple(const CompressiveEncoding& encoding) {
  using Kind = CompressiveEncoding::CompressionCase;
  switch (encoding.compression_case()) {
    case Kind::kConstant: {
      std::optional<uint64_t> value;
      if (encoding.constant().has_value()) {
        ARROW_ASSIGN_OR_RAISE(value, LoadConstant(encoding.constant().value()));
      }
      return std::make_unique<ConstantSequence>(value);
    }
    case Kind::kRange:
      if (!IsWidth(encoding.range().uncompressed_bits_per_value()) ||
          encoding.range().step() == 0) {
        return Corrupt("sequence: range of ", encoding.range().uncompressed_bits_per_value(),
                       "-bit numbers by ", encoding.range().step());
      }
      return std::make_unique<RangeSequence>(encoding.range().uncompressed_bits_per_value(),
                                             encoding.range().start(), encoding.range().step());
    case Kind::kFlat:
    case Kind::kInlineBitpacking:
    case Kind::kOutOfLineBitpacking:
      return MakeBlock(encoding);
    default:
      return Unsupported("sequence encoded as ", EncodingName(encoding));
  }
}

}  // namespace

Made SequenceDecoder::Make(const CompressiveEncoding& encoding) {
  using Kind = CompressiveEncoding::CompressionCase;
  switch (encoding.compression_case()) {
    case Kind::kDelta: {
      const uint64_t bits = encoding.delta().uncompressed_bits_per_value();
      if (!IsWidth(bits)) return Corrupt("sequence: differences of ", bits, "-bit numbers");
      ARROW_ASSIGN_OR_RAISE(auto deltas, MakeSimple(encoding.delta().deltas()));
      return std::make_unique<DeltaSequence>(bits, encoding.delta().base(), std::move(deltas));
    }
    case Kind::kGeneral:
      if (!encoding.general().values().has_flat()) {
        return Unsupported("sequence encoded as ", EncodingName(encoding));
      }
      return MakeBlock(encoding);
    case Kind::kRle: {
      ARROW_ASSIGN_OR_RAISE(auto values, MakeSimple(encoding.rle().values()));
      ARROW_ASSIGN_OR_RAISE(auto lengths, MakeSimple(encoding.rle().run_lengths()));
      return std::make_unique<RleSequence>(std::move(values), std::move(lengths));
    }
    case Kind::kDictionary: {
      const uint64_t items = encoding.dictionary().num_dictionary_items();
      if (items == 0 || items > kMaxDictionaryItems) {
        return Corrupt("sequence: dictionary of ", items, " items");
      }
      ARROW_ASSIGN_OR_RAISE(auto indices, MakeSimple(encoding.dictionary().indices()));
      ARROW_ASSIGN_OR_RAISE(auto values, MakeSimple(encoding.dictionary().items()));
      return std::make_unique<DictionarySequence>(std::move(indices), std::move(values), items);
    }
    default:
      return MakeSimple(encoding);
  }
}

Result<Numbers> SequenceDecoder::Decode(Bytes payload, uint64_t count) const {
  if (count > kTrustedNumbers + kNumbersOfAByte * payload.size()) {
    return MakeError(ErrorCode::kOverBudget,
                     internal::Concat("page with a sequence of ", count, " numbers in ",
                                      payload.size(), " bytes"));
  }
  Numbers out(count);
  ARROW_RETURN_NOT_OK(DecodeInto(payload, &out));
  return out;
}

Result<uint64_t> SequenceDecoder::CountIn(Bytes, uint64_t) const {
  return Unsupported("sequence: runs that nothing counts");
}

}  // namespace lance::encoding
