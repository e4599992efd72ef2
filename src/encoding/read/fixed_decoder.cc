#include <cstring>
#include <limits>

#include "arrow/buffer.h"
#include "encoding/codec/bitpack.h"
#include "encoding/codec/general_compression.h"
#include "encoding/read/bit_copy.h"
#include "encoding/read/encoding_name.h"
#include "encoding/read/fixed_size_lists.h"
#include "encoding/read/packed_struct.h"
#include "encoding/read/runs.h"
#include "encoding/read/value_decoder.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

// n × value_bits bits without gaps.
class FlatDecoder final : public FixedDecoder {
 public:
  explicit FlatDecoder(uint64_t bits) : FixedDecoder(bits, 1) {}
  Status Decode(std::span<const Bytes> buffers, uint32_t num_values, std::span<const ValueRun> runs,
                const FixedTarget& target) const override {
    const uint64_t expected = BytesForBits(num_values * value_bits());
    if (buffers[0].size() < expected) {
      return Corrupt("flat values: ", buffers[0].size(), " bytes for ", num_values, " values of ",
                     value_bits(), " bits, expected ", expected);
    }
    uint64_t at = target.at;
    for (const ValueRun& run : runs) {
      CopyBits(buffers[0].data(), run.start * value_bits(), run.count * value_bits(), target.data,
               at * value_bits());
      at += run.count;
    }
    return Status::OK();
  }
};

// One word with the bit width, then one block of 1024 packed values.
template <typename T>
class InlineBitpackDecoder final : public FixedDecoder {
 public:
  InlineBitpackDecoder() : FixedDecoder(sizeof(T) * 8, 1) {}
  Status Decode(std::span<const Bytes> buffers, uint32_t num_values, std::span<const ValueRun> runs,
                const FixedTarget& target) const override {
    const Bytes bytes = buffers[0];
    if (num_values > kBitpackBlock || bytes.size() < sizeof(T)) {
      return Corrupt("bit-packed chunk of ", num_values, " values and ", bytes.size(), " bytes");
    }
    const uint64_t declared = LoadLittleEndian<T>(bytes.data());
    if (declared > sizeof(T) * 8 ||
        bytes.size() < (1 + PackedWords<T>(static_cast<uint32_t>(declared))) * sizeof(T)) {
      return Corrupt("bit-packed chunk of ", bytes.size(), " bytes has a bit width of ", declared);
    }
    const auto width = static_cast<uint32_t>(declared);
    const uint8_t* packed = bytes.data() + sizeof(T);
    uint8_t* out = target.data + target.at * sizeof(T);
    if (runs.size() == 1 && runs[0].count == kBitpackBlock &&
        reinterpret_cast<uintptr_t>(out) % alignof(T) == 0) {
      UnpackBlock<T>(width, packed, reinterpret_cast<T*>(out));
      return Status::OK();
    }
    uint64_t wanted = 0;
    for (const ValueRun& run : runs) wanted += run.count;
    if (wanted > kSingleValues) {
      T values[kBitpackBlock];
      UnpackBlock<T>(width, packed, values);
      for (const ValueRun& run : runs) {
        std::memcpy(out, values + run.start, run.count * sizeof(T));
        out += run.count * sizeof(T);
      }
      return Status::OK();
    }
    for (const ValueRun& run : runs) {
      for (uint32_t i = 0; i < run.count; ++i) {
        StoreLittleEndian(UnpackOne<T>(width, packed, run.start + i), out);
        out += sizeof(T);
      }
    }
    return Status::OK();
  }

 private:
  // Unpacking a block costs about as much as this many single values.
  static constexpr uint64_t kSingleValues = 48;
};

template <typename T>
void FillRun(const uint8_t* value, uint64_t count, uint8_t* out) {
  T word;
  std::memcpy(&word, value, sizeof(T));
  for (uint64_t i = 0; i < count; ++i) StoreLittleEndian(word, out + i * sizeof(T));
}

// Buffer 0: the values of the runs; buffer 1: their lengths, u8.
template <typename T>
class RleDecoder final : public FixedDecoder {
 public:
  RleDecoder() : FixedDecoder(sizeof(T) * 8, 2) {}
  Status Decode(std::span<const Bytes> buffers, uint32_t num_values,
                std::span<const ValueRun> wanted, const FixedTarget& target) const override {
    const Bytes values = buffers[0];
    const Bytes lengths = buffers[1];
    if (values.size() < lengths.size() * sizeof(T)) {
      return Corrupt("run-length chunk has ", values.size(), " bytes of values for ",
                     lengths.size(), " runs");
    }
    uint8_t* out = target.data + target.at * sizeof(T);
    uint64_t run = 0;
    uint64_t run_end = 0;
    for (const ValueRun& want : wanted) {
      uint64_t position = want.start;
      const uint64_t end = uint64_t{want.start} + want.count;
      while (position < end) {
        while (run_end <= position) {
          if (run == lengths.size() || lengths[run] == 0) {
            return Corrupt("run-length chunk: run ", run, " of ", lengths.size(),
                           " is missing or empty, with ", run_end, " of ", num_values,
                           " values decoded");
          }
          run_end += lengths[run++];
        }
        const uint64_t count = std::min(end, run_end) - position;
        FillRun<T>(values.data() + (run - 1) * sizeof(T), count, out);
        out += count * sizeof(T);
        position += count;
      }
    }
    return Status::OK();
  }
};

// The same with the forms of 2.3.
template <typename T>
class AnyRunsDecoder final : public FixedDecoder {
 public:
  explicit AnyRunsDecoder(RunsDecoder runs)
      : FixedDecoder(sizeof(T) * 8, 2), runs_(std::move(runs)) {}
  Status Decode(std::span<const Bytes> buffers, uint32_t num_values,
                std::span<const ValueRun> wanted, const FixedTarget& target) const override {
    ARROW_ASSIGN_OR_RAISE(auto runs, runs_.Decode(buffers[0], buffers[1], num_values));
    uint8_t* out = target.data + target.at * sizeof(T);
    size_t run = 0;
    uint64_t run_end = 0;
    for (const ValueRun& want : wanted) {
      uint64_t position = want.start;
      const uint64_t end = uint64_t{want.start} + want.count;
      while (position < end) {
        while (run_end <= position) {
          if (run == runs.lengths.size()) {
            return Corrupt("run-length chunk: ", run_end, " of ", num_values, " values");
          }
          run_end += runs.lengths[run++];
        }
        const uint64_t count = std::min(end, run_end) - position;
        FillRun<T>(runs.values.data() + (run - 1) * sizeof(T), count, out);
        out += count * sizeof(T);
        position += count;
      }
    }
    return Status::OK();
  }

 private:
  RunsDecoder runs_;
};

// Byte j of value i stands at j × n + i.
class ByteStreamSplitDecoder final : public FixedDecoder {
 public:
  explicit ByteStreamSplitDecoder(uint64_t bits) : FixedDecoder(bits, 1) {}
  Status Decode(std::span<const Bytes> buffers, uint32_t num_values, std::span<const ValueRun> runs,
                const FixedTarget& target) const override {
    const uint64_t width = value_bits() / 8;
    if (buffers[0].size() < num_values * width) {
      return Corrupt("byte-stream-split chunk: ", buffers[0].size(), " bytes for ", num_values,
                     " values of ", width, " bytes");
    }
    uint8_t* out = target.data + target.at * width;
    for (const ValueRun& run : runs) {
      for (uint64_t byte = 0; byte < width; ++byte) {
        const uint8_t* in = buffers[0].data() + byte * num_values + run.start;
        for (uint64_t i = 0; i < run.count; ++i) out[i * width + byte] = in[i];
      }
      out += run.count * width;
    }
    return Status::OK();
  }
};

// One buffer of item validity for each nesting depth that has it, then the items.
class FixedSizeListDecoder final : public FixedDecoder {
 public:
  FixedSizeListDecoder(uint64_t value_bits, std::vector<ListDepth> depths)
      : FixedDecoder(value_bits, CountBuffers(depths)), depths_(std::move(depths)) {}

  Status Decode(std::span<const Bytes> buffers, uint32_t num_values, std::span<const ValueRun> runs,
                const FixedTarget& target) const override {
    size_t buffer = 0;
    for (size_t depth = 0; depth < depths_.size(); ++depth) {
      if (!depths_[depth].has_validity) continue;
      const uint64_t items = depths_[depth].items_per_value;
      const Bytes bits = buffers[buffer++];
      if (bits.size() < BytesForBits(num_values * items)) {
        return Corrupt("item validity of a fixed-size list: ", bits.size(), " bytes for ",
                       num_values * items, " items");
      }
      ARROW_ASSIGN_OR_RAISE(uint8_t * out, target.sink->ItemValidity(depth));
      uint64_t at = target.at;
      for (const ValueRun& run : runs) {
        CopyBits(bits.data(), run.start * items, run.count * items, out, at * items);
        at += run.count;
      }
    }
    return FlatDecoder(value_bits()).Decode(buffers.subspan(buffer), num_values, runs, target);
  }

 private:
  static uint32_t CountBuffers(const std::vector<ListDepth>& depths) {
    uint32_t count = 1;
    for (const ListDepth& depth : depths) count += depth.has_validity ? 1 : 0;
    return count;
  }
  std::vector<ListDepth> depths_;
};

// Buffer 0 of each chunk is a compressed frame; the others are as the inner codec wrote them.
class GeneralDecoder final : public FixedDecoder {
 public:
  GeneralDecoder(CompressionScheme scheme, std::unique_ptr<FixedDecoder> inner)
      : FixedDecoder(inner->value_bits(), inner->num_buffers()),
        scheme_(scheme),
        inner_(std::move(inner)) {}
  Status Decode(std::span<const Bytes> buffers, uint32_t num_values, std::span<const ValueRun> runs,
                const FixedTarget& target) const override {
    ARROW_ASSIGN_OR_RAISE(auto plain,
                          Decompress(scheme_, buffers[0], arrow::default_memory_pool()));
    std::vector<Bytes> inner_buffers(buffers.begin(), buffers.end());
    inner_buffers[0] = {plain->data(), static_cast<size_t>(plain->size())};
    return inner_->Decode(inner_buffers, num_values, runs, target);
  }

 private:
  CompressionScheme scheme_;
  std::unique_ptr<FixedDecoder> inner_;
};

using Made = Result<std::unique_ptr<FixedDecoder>>;

template <template <typename> class Decoder>
Made MakeForWidth(uint64_t bits, const char* name) {
  switch (bits) {
    case 8:
      return std::make_unique<Decoder<uint8_t>>();
    case 16:
      return std::make_unique<Decoder<uint16_t>>();
    case 32:
      return std::make_unique<Decoder<uint32_t>>();
    case 64:
      return std::make_unique<Decoder<uint64_t>>();
    default:
      return Corrupt(name, " of ", bits, "-bit values");
  }
}

Made MakeFixedSizeList(const encodings21::CompressiveEncoding& encoding, const LeafShape& shape) {
  ARROW_ASSIGN_OR_RAISE(UnwrappedLists lists, UnwrapFixedSizeLists(encoding, shape));
  if (!lists.items->has_flat())
    return Unsupported("fixed-size list of ", EncodingName(*lists.items));
  if (lists.items_per_value * lists.items->flat().bits_per_value() != shape.value_bits) {
    return Corrupt("page holds ", EncodingName(encoding), ", which is not the column's type");
  }
  return std::make_unique<FixedSizeListDecoder>(shape.value_bits, std::move(lists.depths));
}

Made MakeRle(const encodings21::Rle& rle) {
  if (!rle.values().has_flat() || !rle.run_lengths().has_flat() ||
      rle.run_lengths().flat().bits_per_value() != 8) {
    ARROW_ASSIGN_OR_RAISE(auto runs, RunsDecoder::Make(rle));
    const uint64_t bits = runs.value_bits();
    if (bits == 8) return std::make_unique<AnyRunsDecoder<uint8_t>>(std::move(runs));
    if (bits == 16) return std::make_unique<AnyRunsDecoder<uint16_t>>(std::move(runs));
    if (bits == 32) return std::make_unique<AnyRunsDecoder<uint32_t>>(std::move(runs));
    return std::make_unique<AnyRunsDecoder<uint64_t>>(std::move(runs));
  }
  return MakeForWidth<RleDecoder>(rle.values().flat().bits_per_value(), "run-length encoding");
}

Made MakeByteStreamSplit(const encodings21::ByteStreamSplit& split) {
  const uint64_t bits = split.values().has_flat() ? split.values().flat().bits_per_value() : 0;
  if (bits != 32 && bits != 64) {
    return Unsupported("byte stream split of ", EncodingName(split.values()));
  }
  return std::make_unique<ByteStreamSplitDecoder>(bits);
}

}  // namespace

Made FixedDecoder::Make(const encodings21::CompressiveEncoding& encoding, const LeafShape& shape) {
  using Kind = encodings21::CompressiveEncoding::CompressionCase;
  if (shape.values == LeafShape::Values::kPackedStruct && !encoding.has_packed_struct()) {
    return Corrupt("page holds ", EncodingName(encoding), ", the column is a packed struct");
  }
  switch (encoding.compression_case()) {
    case Kind::kFlat: {
      const uint64_t bits = encoding.flat().bits_per_value();
      if (encoding.flat().has_data()) return Unsupported("flat values with buffer compression");
      if (bits == 0 || bits > std::numeric_limits<uint32_t>::max()) {
        return Corrupt("flat values of ", bits, " bits");
      }
      return std::make_unique<FlatDecoder>(bits);
    }
    case Kind::kInlineBitpacking:
      if (encoding.inline_bitpacking().has_values()) {
        return Unsupported("bit-packing with buffer compression");
      }
      return MakeForWidth<InlineBitpackDecoder>(
          encoding.inline_bitpacking().uncompressed_bits_per_value(), "bit-packing");
    case Kind::kRle:
      return MakeRle(encoding.rle());
    case Kind::kByteStreamSplit:
      return MakeByteStreamSplit(encoding.byte_stream_split());
    case Kind::kFixedSizeList:
      return MakeFixedSizeList(encoding, shape);
    case Kind::kPackedStruct:
      return MakePackedStructDecoder(encoding.packed_struct(), shape);
    case Kind::kGeneral: {
      ARROW_ASSIGN_OR_RAISE(CompressionScheme scheme, SchemeOf(encoding.general()));
      ARROW_ASSIGN_OR_RAISE(auto inner, Make(encoding.general().values(), shape));
      return std::make_unique<GeneralDecoder>(scheme, std::move(inner));
    }
    default:
      return Unsupported("mini-block encoding ", EncodingName(encoding));
  }
}

}  // namespace lance::encoding
