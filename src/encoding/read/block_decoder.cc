#include "encoding/read/block_decoder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "arrow/buffer.h"
#include "encoding/codec/bitpack.h"
#include "encoding/codec/general_compression.h"
#include "encoding/read/bit_copy.h"
#include "encoding/read/encoding_name.h"
#include "encoding/read/runs.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

// Values of no bits at all: more of them than levels in a chunk make no sense.
constexpr uint64_t kMaxFreeValues = 64 * 1024;

class FlatBlock final : public BlockDecoder {
 public:
  explicit FlatBlock(uint64_t bits) : BlockDecoder(false, bits) {}
  Status DecodeFixed(Bytes bytes, uint64_t count, uint8_t* out) const override {
    const uint64_t expected = BytesForBits(count * value_bits());
    if (bytes.size() != expected) {
      return Corrupt("flat block of ", count, " values has ", bytes.size(), " bytes, expected ",
                     expected);
    }
    if (expected > 0) std::memcpy(out, bytes.data(), expected);
    return Status::OK();
  }

  Result<uint64_t> MaxValues(Bytes bytes) const override {
    return value_bits() == 0 ? kMaxFreeValues : bytes.size() * 8 / value_bits();
  }
};

template <typename T>
class InlineBitpackBlock final : public BlockDecoder {
 public:
  InlineBitpackBlock() : BlockDecoder(false, sizeof(T) * 8) {}
  Status DecodeFixed(Bytes bytes, uint64_t count, uint8_t* out) const override {
    if (count == 0) return Status::OK();
    if (count > kBitpackBlock) {
      return Corrupt("inline bit-packed block of ", count, " values, at most 1024 are possible");
    }
    if (bytes.size() < sizeof(T)) return Corrupt("inline bit-packed block has no bit width");
    const uint64_t width = LoadLittleEndian<T>(bytes.data());
    if (width > sizeof(T) * 8 ||
        bytes.size() < (1 + PackedWords<T>(static_cast<uint32_t>(width))) * sizeof(T)) {
      return Corrupt("inline bit-packed block of ", bytes.size(), " bytes has a bit width of ",
                     width);
    }
    T values[kBitpackBlock];
    UnpackBlock<T>(static_cast<uint32_t>(width), bytes.data() + sizeof(T), values);
    std::memcpy(out, values, count * sizeof(T));
    return Status::OK();
  }

  Result<uint64_t> MaxValues(Bytes) const override { return kBitpackBlock; }
};

// Full groups of 1024 values packed without headers; the rest packed too (zero padded), or raw when
// the buffer has just that length.
template <typename T>
class OutOfLineBitpackBlock final : public BlockDecoder {
 public:
  explicit OutOfLineBitpackBlock(uint32_t width)
      : BlockDecoder(false, sizeof(T) * 8), width_(width) {}
  Result<uint64_t> MaxValues(Bytes bytes) const override {
    if (width_ == 0) return kMaxFreeValues;
    return (bytes.size() * 8 / width_ / kBitpackBlock + 1) * kBitpackBlock;
  }
  Status DecodeFixed(Bytes bytes, uint64_t count, uint8_t* out) const override {
    ARROW_ASSIGN_OR_RAISE(const bool raw_tail, HasRawTail(bytes, count));
    const uint64_t full = count / kBitpackBlock;
    const uint64_t rest = count % kBitpackBlock;
    const uint64_t group_bytes = PackedWords<T>(width_) * sizeof(T);
    for (uint64_t group = 0; group < full; ++group) {
      const uint8_t* packed = bytes.data() + group * group_bytes;
      uint8_t* to = out + group * kBitpackBlock * sizeof(T);
      if (reinterpret_cast<uintptr_t>(to) % alignof(T) == 0) {
        UnpackBlock<T>(width_, packed, reinterpret_cast<T*>(to));
        continue;
      }
      T values[kBitpackBlock];
      UnpackBlock<T>(width_, packed, values);
      std::memcpy(to, values, sizeof(values));
    }
    if (rest == 0) return Status::OK();
    uint8_t* tail = out + full * kBitpackBlock * sizeof(T);
    const uint8_t* packed = bytes.data() + full * group_bytes;
    if (raw_tail) {
      std::memcpy(tail, packed, rest * sizeof(T));
    } else {
      T values[kBitpackBlock];
      UnpackBlock<T>(width_, packed, values);
      std::memcpy(tail, values, rest * sizeof(T));
    }
    return Status::OK();
  }

  Result<bool> DecodeOne(Bytes bytes, uint64_t count, uint64_t index, uint8_t* out) const override {
    ARROW_ASSIGN_OR_RAISE(const bool raw_tail, HasRawTail(bytes, count));
    const uint64_t group = index / kBitpackBlock;
    const uint64_t in_group = index % kBitpackBlock;
    const uint8_t* packed = bytes.data() + group * PackedWords<T>(width_) * sizeof(T);
    if (raw_tail && group == count / kBitpackBlock) {
      std::memcpy(out, packed + in_group * sizeof(T), sizeof(T));
    } else {
      StoreLittleEndian(UnpackOne<T>(width_, packed, static_cast<uint32_t>(in_group)), out);
    }
    return true;
  }

 private:
  // Whether the values behind the full groups stand unpacked.
  Result<bool> HasRawTail(Bytes bytes, uint64_t count) const {
    const uint64_t full = count / kBitpackBlock;
    const uint64_t rest = count % kBitpackBlock;
    const uint64_t group_bytes = PackedWords<T>(width_) * sizeof(T);
    const uint64_t raw_size = full * group_bytes + rest * sizeof(T);
    const uint64_t packed_size = (full + (rest > 0 ? 1 : 0)) * group_bytes;
    if (bytes.size() == raw_size) return true;
    if (bytes.size() == packed_size) return false;
    return Corrupt("bit-packed block of ", count, " values at ", width_, " bits has ", bytes.size(),
                   " bytes, expected ", packed_size, " or ", raw_size);
  }

  uint32_t width_;
};

// u64 size of the run values, the run values, the run lengths (u8 each).
class RleBlock final : public BlockDecoder {
 public:
  explicit RleBlock(uint64_t bits) : BlockDecoder(false, bits), width_(bits / 8) {}
  Result<uint64_t> MaxValues(Bytes bytes) const override { return bytes.size() * UINT8_MAX; }
  uint64_t CountInRuns(Bytes bytes) const override {
    ByteReader reader(bytes);
    auto values_size = reader.Read<uint64_t>("size of run values");
    if (!values_size.ok() || !reader.ReadBytes(*values_size, "run values").ok()) return 0;
    const Bytes lengths = bytes.subspan(reader.position());
    return std::accumulate(lengths.begin(), lengths.end(), uint64_t{0});
  }
  Status DecodeFixed(Bytes bytes, uint64_t count, uint8_t* out) const override {
    ByteReader reader(bytes);
    ARROW_ASSIGN_OR_RAISE(uint64_t values_size, reader.Read<uint64_t>("size of run values"));
    ARROW_ASSIGN_OR_RAISE(Bytes values, reader.ReadBytes(values_size, "run values"));
    ARROW_ASSIGN_OR_RAISE(Bytes lengths, reader.ReadBytes(reader.remaining(), "run lengths"));
    if (values.size() != lengths.size() * width_) {
      return Corrupt("run-length block has ", values.size(), " bytes of values for ",
                     lengths.size(), " runs of ", width_, "-byte values");
    }
    uint64_t done = 0;
    for (uint64_t run = 0; run < lengths.size(); ++run) {
      const uint64_t length = lengths[run];
      if (length == 0 || length > count - done) {
        return Corrupt("run-length block: run ", run, " has length ", length, ", with ",
                       count - done, " of ", count, " values missing");
      }
      for (uint64_t i = 0; i < length; ++i) {
        std::memcpy(out + (done + i) * width_, values.data() + run * width_, width_);
      }
      done += length;
    }
    if (done != count) {
      return Corrupt("run-length block has ", done, " values, expected ", count);
    }
    return Status::OK();
  }

 private:
  uint64_t width_;
};

// The same with the forms of 2.3.
class AnyRunsBlock final : public BlockDecoder {
 public:
  explicit AnyRunsBlock(RunsDecoder runs)
      : BlockDecoder(false, runs.value_bits()), runs_(std::move(runs)) {}
  Status DecodeFixed(Bytes bytes, uint64_t count, uint8_t* out) const override {
    ByteReader reader(bytes);
    ARROW_ASSIGN_OR_RAISE(uint64_t values_size, reader.Read<uint64_t>("size of run values"));
    ARROW_ASSIGN_OR_RAISE(Bytes values, reader.ReadBytes(values_size, "run values"));
    ARROW_ASSIGN_OR_RAISE(Bytes lengths, reader.ReadBytes(reader.remaining(), "run lengths"));
    ARROW_ASSIGN_OR_RAISE(auto runs, runs_.Decode(values, lengths, count));
    const uint64_t width = value_bits() / 8;
    uint64_t done = 0;
    for (size_t run = 0; run < runs.lengths.size(); ++run) {
      if (runs.lengths[run] > count - done) break;
      for (uint64_t i = 0; i < runs.lengths[run]; ++i) {
        std::memcpy(out + (done + i) * width, runs.values.data() + run * width, width);
      }
      done += runs.lengths[run];
    }
    if (done == count) return Status::OK();
    return Corrupt("run-length block has other than the ", count, " values expected");
  }

 private:
  RunsDecoder runs_;
};

// Offsets from 0 and bytes, with a header that tells the width of the offsets:
//   32 bits: u32 32, u32 start of bytes, (n + 1) × u32, bytes
//   64 bits: u64 64, u64 start of bytes, (n + 1) × u64, bytes
// Early writers: u8 32, u32 n, u32 start of bytes, … / u8 64, u64 n, u64 start of bytes, …
class VariableBlock final : public BlockDecoder {
 public:
  VariableBlock() : BlockDecoder(true, 0) {}
  Result<DecodedBlock> DecodeVariable(Bytes bytes, uint64_t count,
                                      arrow::MemoryPool* pool) const override {
    if (bytes.size() < 4) return Corrupt("variable-width block has no header");
    const bool historic = bytes[1] != 0 || bytes[2] != 0 || bytes[3] != 0;
    const uint8_t width = bytes[0];
    if (width == 32) return Parse<uint32_t>(bytes, historic, count, pool);
    if (width == 64) return Parse<uint64_t>(bytes, historic, count, pool);
    return Corrupt("variable-width block has offsets of ", int{width}, " bits");
  }

 private:
  template <typename T>
  static Result<DecodedBlock> Parse(Bytes bytes, bool historic, uint64_t count,
                                    arrow::MemoryPool* pool) {
    ByteReader reader(bytes);
    if (historic) {
      ARROW_RETURN_NOT_OK(reader.Read<uint8_t>("offset width").status());
      ARROW_ASSIGN_OR_RAISE(T values, reader.Read<T>("number of values"));
      if (values != count) {
        return Corrupt("variable-width block has ", values, " values, expected ", count);
      }
    } else {
      ARROW_RETURN_NOT_OK(reader.Read<T>("offset width").status());
    }
    ARROW_ASSIGN_OR_RAISE(T start, reader.Read<T>("start of the bytes"));
    if (count >= bytes.size() / sizeof(T)) {
      return Corrupt("variable-width block of ", bytes.size(), " bytes can't hold ", count,
                     " values");
    }
    ARROW_ASSIGN_OR_RAISE(Bytes offsets, reader.ReadBytes((count + 1) * sizeof(T), "offsets"));
    if (start < reader.position() || start > bytes.size()) {
      return Corrupt("variable-width block of ", bytes.size(), " bytes: bytes start at ", start);
    }
    const Bytes data = bytes.subspan(start);
    DecodedBlock block;
    block.num_values = count;
    block.variable = true;
    ARROW_ASSIGN_OR_RAISE(auto out_offsets,
                          arrow::AllocateBuffer(static_cast<int64_t>((count + 1) * 8), pool));
    auto* out = reinterpret_cast<int64_t*>(out_offsets->mutable_data());
    uint64_t previous = 0;
    for (uint64_t i = 0; i <= count; ++i) {
      const uint64_t offset = LoadLittleEndian<T>(offsets.data() + i * sizeof(T));
      if (offset < previous || offset > data.size()) {
        return Corrupt("variable-width block: offset ", i, " is ", offset, " after ", previous,
                       ", with ", data.size(), " bytes present");
      }
      if (i > 0) block.longest_item = std::max(block.longest_item, offset - previous);
      out[i] = static_cast<int64_t>(offset);
      previous = offset;
    }
    block.offsets = std::move(out_offsets);
    ARROW_ASSIGN_OR_RAISE(
        auto values, arrow::AllocateBuffer(
                         static_cast<int64_t>(data.size() + DecodedBlock::kReadableSlack), pool));
    if (!data.empty()) std::memcpy(values->mutable_data(), data.data(), data.size());
    std::memset(values->mutable_data() + data.size(), 0, DecodedBlock::kReadableSlack);
    block.values = arrow::SliceBuffer(std::shared_ptr<arrow::Buffer>(std::move(values)), 0,
                                      static_cast<int64_t>(data.size()));
    return block;
  }
};

class GeneralBlock final : public BlockDecoder {
 public:
  GeneralBlock(CompressionScheme scheme, std::unique_ptr<BlockDecoder> inner)
      : BlockDecoder(inner->variable(), inner->value_bits()),
        scheme_(scheme),
        inner_(std::move(inner)) {}
  Status DecodeFixed(Bytes bytes, uint64_t count, uint8_t* out) const override {
    ARROW_ASSIGN_OR_RAISE(auto plain, Decompress(scheme_, bytes, arrow::default_memory_pool()));
    return inner_->DecodeFixed({plain->data(), static_cast<size_t>(plain->size())}, count, out);
  }
  Result<DecodedBlock> Decode(Bytes bytes, uint64_t count, arrow::MemoryPool* pool) const override {
    ARROW_ASSIGN_OR_RAISE(auto plain, Decompress(scheme_, bytes, pool));
    return inner_->Decode({plain->data(), static_cast<size_t>(plain->size())}, count, pool);
  }

 private:
  CompressionScheme scheme_;
  std::unique_ptr<BlockDecoder> inner_;
};

using Made = Result<std::unique_ptr<BlockDecoder>>;

Made MakeInlineBitpack(uint64_t bits) {
  switch (bits) {
    case 8:
      return std::make_unique<InlineBitpackBlock<uint8_t>>();
    case 16:
      return std::make_unique<InlineBitpackBlock<uint16_t>>();
    case 32:
      return std::make_unique<InlineBitpackBlock<uint32_t>>();
    case 64:
      return std::make_unique<InlineBitpackBlock<uint64_t>>();
    default:
      return Corrupt("bit-packing of ", bits, "-bit values");
  }
}

Made MakeOutOfLineBitpack(const encodings21::OutOfLineBitpacking& encoding) {
  const uint64_t bits = encoding.uncompressed_bits_per_value();
  if (!encoding.values().has_flat()) {
    return Unsupported("bit-packing over ", EncodingName(encoding.values()));
  }
  const uint64_t width = encoding.values().flat().bits_per_value();
  if (width >= bits) return Corrupt("bit-packing of ", bits, "-bit values to ", width, " bits");
  const auto w = static_cast<uint32_t>(width);
  switch (bits) {
    case 8:
      return std::make_unique<OutOfLineBitpackBlock<uint8_t>>(w);
    case 16:
      return std::make_unique<OutOfLineBitpackBlock<uint16_t>>(w);
    case 32:
      return std::make_unique<OutOfLineBitpackBlock<uint32_t>>(w);
    case 64:
      return std::make_unique<OutOfLineBitpackBlock<uint64_t>>(w);
    default:
      return Corrupt("bit-packing of ", bits, "-bit values");
  }
}

Made MakeRle(const encodings21::Rle& encoding) {
  if (!encoding.values().has_flat() || !encoding.run_lengths().has_flat() ||
      encoding.run_lengths().flat().bits_per_value() != 8) {
    ARROW_ASSIGN_OR_RAISE(auto runs, RunsDecoder::Make(encoding));
    return std::make_unique<AnyRunsBlock>(std::move(runs));
  }
  const uint64_t bits = encoding.values().flat().bits_per_value();
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
    return Corrupt("run-length encoding of ", bits, "-bit values");
  }
  return std::make_unique<RleBlock>(bits);
}

}  // namespace

Status BlockDecoder::DecodeFixed(Bytes, uint64_t, uint8_t*) const {
  return Corrupt("a variable-width block where fixed-width values are expected");
}

Result<DecodedBlock> BlockDecoder::DecodeVariable(Bytes, uint64_t, arrow::MemoryPool*) const {
  return Corrupt("a fixed-width block where strings or binaries are expected");
}

Result<uint64_t> BlockDecoder::MaxValues(Bytes bytes) const { return bytes.size() * 8; }

Result<DecodedBlock> BlockDecoder::Decode(Bytes bytes, uint64_t count,
                                          arrow::MemoryPool* pool) const {
  if (variable_) return DecodeVariable(bytes, count, pool);
  DecodedBlock block;
  block.num_values = count;
  block.value_bits = value_bits_;
  ARROW_ASSIGN_OR_RAISE(uint64_t possible, MaxValues(bytes));
  if (count > possible ||
      (value_bits_ != 0 && count > std::numeric_limits<int64_t>::max() / value_bits_)) {
    return Corrupt("block of ", bytes.size(), " bytes claims ", count, " values of ", value_bits_,
                   " bits");
  }
  ARROW_ASSIGN_OR_RAISE(
      auto values,
      arrow::AllocateBuffer(static_cast<int64_t>(BytesForBits(count * value_bits_)), pool));
  ARROW_RETURN_NOT_OK(DecodeFixed(bytes, count, values->mutable_data()));
  block.values = std::move(values);
  return block;
}

Made BlockDecoder::Make(const encodings21::CompressiveEncoding& encoding) {
  using Kind = encodings21::CompressiveEncoding::CompressionCase;
  switch (encoding.compression_case()) {
    case Kind::kFlat:
      return std::make_unique<FlatBlock>(encoding.flat().bits_per_value());
    case Kind::kInlineBitpacking:
      return MakeInlineBitpack(encoding.inline_bitpacking().uncompressed_bits_per_value());
    case Kind::kOutOfLineBitpacking:
      return MakeOutOfLineBitpack(encoding.out_of_line_bitpacking());
    case Kind::kRle:
      return MakeRle(encoding.rle());
    case Kind::kVariable:
      return std::make_unique<VariableBlock>();
    case Kind::kGeneral: {
      ARROW_ASSIGN_OR_RAISE(CompressionScheme scheme, SchemeOf(encoding.general()));
      ARROW_ASSIGN_OR_RAISE(auto inner, Make(encoding.general().values()));
      return std::make_unique<GeneralBlock>(scheme, std::move(inner));
    }
    default:
      return Unsupported("block encoding ", EncodingName(encoding));
  }
}

Made MakeLevelDecoder(const encodings21::CompressiveEncoding& encoding) {
  ARROW_ASSIGN_OR_RAISE(auto decoder, BlockDecoder::Make(encoding));
  if (decoder->variable() || decoder->value_bits() != 16) {
    return Corrupt("levels encoded as ", EncodingName(encoding), ", expected 16-bit values");
  }
  return decoder;
}

}  // namespace lance::encoding
