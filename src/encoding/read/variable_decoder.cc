#include <cstring>

#include "arrow/buffer.h"
#include "encoding/codec/fsst_decoder.h"
#include "encoding/codec/general_compression.h"
#include "encoding/read/encoding_name.h"
#include "encoding/read/sequence.h"
#include "encoding/read/value_decoder.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

// Where each of `count` decoded values ends; reused by the thread.
uint64_t* EndsScratch(uint64_t count) {
  thread_local std::vector<uint64_t> ends;
  if (ends.size() < count) ends.resize(count);
  return ends.data();
}

// The strings of a chunk: (n + 1) offsets from the start of the buffer, then the bytes.
template <typename T>
class ChunkStrings {
 public:
  static Result<ChunkStrings> Parse(Bytes buffer, uint32_t num_values) {
    const uint64_t table = (uint64_t{num_values} + 1) * sizeof(T);
    if (buffer.size() < table) {
      return Corrupt("strings of a chunk: ", buffer.size(), " bytes can't hold ", num_values,
                     " offsets");
    }
    return ChunkStrings(buffer, table);
  }

  T offset(uint64_t index) const { return LoadLittleEndian<T>(buffer_.data() + index * sizeof(T)); }
  // Checks that the offsets of a run ascend within the buffer.
  Status Check(const ValueRun& run) const {
    T previous = offset(run.start);
    bool sorted = previous >= table_;
    for (uint64_t i = 1; i <= run.count; ++i) {
      const T next = offset(run.start + i);
      sorted &= next >= previous;
      previous = next;
    }
    if (sorted && previous <= buffer_.size()) return Status::OK();
    return Corrupt("strings of a chunk: offsets of values ", run.start, " to ",
                   run.start + run.count, " don't ascend within the ", buffer_.size(), " bytes");
  }
  const uint8_t* data() const { return buffer_.data(); }
  // The offsets of a run, one more than it has values; copied where they are not aligned.
  const T* Offsets(const ValueRun& run, std::vector<T>* copied) const {
    const uint8_t* at = buffer_.data() + run.start * sizeof(T);
    if (reinterpret_cast<uintptr_t>(at) % alignof(T) == 0) return reinterpret_cast<const T*>(at);
    copied->resize(run.count + 1);
    std::memcpy(copied->data(), at, copied->size() * sizeof(T));
    return copied->data();
  }

 private:
  ChunkStrings(Bytes buffer, uint64_t table) : buffer_(buffer), table_(table) {}
  Bytes buffer_;
  uint64_t table_;
};

template <typename T>
class PlainDecoder final : public VariableDecoder {
 public:
  Status Decode(std::span<const Bytes> buffers, uint32_t num_values, std::span<const ValueRun> runs,
                LeafSink& sink) const override {
    ARROW_ASSIGN_OR_RAISE(auto strings, ChunkStrings<T>::Parse(buffers[0], num_values));
    for (const ValueRun& run : runs) {
      ARROW_RETURN_NOT_OK(strings.Check(run));
      const T begin = strings.offset(run.start);
      const uint64_t size = strings.offset(run.start + run.count) - begin;
      ARROW_RETURN_NOT_OK(sink.ReserveVariable(run.count, size));
      if (size > 0) std::memcpy(sink.variable_end(), strings.data() + begin, size);
      std::vector<T> copied;
      sink.EndValues(strings.Offsets(run, &copied) + 1, begin, run.count);
    }
    return Status::OK();
  }
};

template <typename T>
class FsstChunkDecoder final : public VariableDecoder {
 public:
  explicit FsstChunkDecoder(const FsstDecoder& fsst) : fsst_(fsst) {}
  Status Decode(std::span<const Bytes> buffers, uint32_t num_values, std::span<const ValueRun> runs,
                LeafSink& sink) const override {
    ARROW_ASSIGN_OR_RAISE(auto strings, ChunkStrings<T>::Parse(buffers[0], num_values));
    for (const ValueRun& run : runs) {
      ARROW_RETURN_NOT_OK(strings.Check(run));
      const T begin = strings.offset(run.start);
      ARROW_RETURN_NOT_OK(sink.ReserveVariable(
          run.count, FsstDecoder::MaxDecodedBytes(strings.offset(run.start + run.count) - begin)));
      uint64_t* const ends = EndsScratch(run.count);
      std::vector<T> copied;
      const T* const offsets = strings.Offsets(run, &copied);
      if (!fsst_.DecodeAll(strings.data(), offsets, run.count, sink.variable_end(), ends)) {
        return FsstDecoder::BadCodes();
      }
      sink.EndValues(ends, uint64_t{0}, run.count);
    }
    return Status::OK();
  }

 private:
  FsstDecoder fsst_;
};

class GeneralVariableDecoder final : public VariableDecoder {
 public:
  GeneralVariableDecoder(CompressionScheme scheme, std::unique_ptr<VariableDecoder> inner)
      : scheme_(scheme), inner_(std::move(inner)) {}
  uint32_t num_buffers() const override { return inner_->num_buffers(); }
  Status Decode(std::span<const Bytes> buffers, uint32_t num_values, std::span<const ValueRun> runs,
                LeafSink& sink) const override {
    ARROW_ASSIGN_OR_RAISE(auto plain,
                          Decompress(scheme_, buffers[0], arrow::default_memory_pool()));
    std::vector<Bytes> inner_buffers(buffers.begin(), buffers.end());
    inner_buffers[0] = {plain->data(), static_cast<size_t>(plain->size())};
    return inner_->Decode(inner_buffers, num_values, runs, sink);
  }

 private:
  CompressionScheme scheme_;
  std::unique_ptr<VariableDecoder> inner_;
};

// Strings of 2.3 whose offsets are a sequence: [its payload], the bytes. Put into the form of the
// plain decoders.
class SequenceOffsetsDecoder final : public VariableDecoder {
 public:
  SequenceOffsetsDecoder(std::unique_ptr<SequenceDecoder> offsets,
                         std::unique_ptr<VariableDecoder> plain)
      : offsets_(std::move(offsets)), plain_(std::move(plain)) {}
  uint32_t num_buffers() const override { return offsets_->has_payload() ? 2 : 1; }

  Status Decode(std::span<const Bytes> buffers, uint32_t num_values, std::span<const ValueRun> runs,
                LeafSink& sink) const override {
    const Bytes payload = offsets_->has_payload() ? buffers[0] : Bytes();
    const Bytes bytes = buffers[offsets_->has_payload() ? 1 : 0];
    ARROW_ASSIGN_OR_RAISE(auto offsets, offsets_->Decode(payload, uint64_t{num_values} + 1));
    const uint64_t table = offsets.size() * sizeof(uint64_t);
    thread_local std::vector<uint8_t> chunk;
    chunk.resize(table + bytes.size());
    for (uint64_t i = 0; i < offsets.size(); ++i) {
      if (offsets[i] > bytes.size()) {
        return Corrupt("strings of a chunk: offset ", i, " is ", offsets[i], ", with ",
                       bytes.size(), " bytes present");
      }
      StoreLittleEndian(table + offsets[i], chunk.data() + i * sizeof(uint64_t));
    }
    if (!bytes.empty()) std::memcpy(chunk.data() + table, bytes.data(), bytes.size());
    const Bytes whole(chunk);
    return plain_->Decode({&whole, 1}, num_values, runs, sink);
  }

 private:
  std::unique_ptr<SequenceDecoder> offsets_;
  std::unique_ptr<VariableDecoder> plain_;
};

// A decoder of strings with offsets of 32 or 64 bits, or in a sequence.
template <template <typename> class Decoder, typename... Args>
Result<std::unique_ptr<VariableDecoder>> MakeForOffsets(const encodings21::Variable& variable,
                                                        const Args&... args) {
  if (variable.has_values()) return Unsupported("strings with buffer compression");
  const auto& offsets = variable.offsets();
  if (!offsets.has_flat()) {
    ARROW_ASSIGN_OR_RAISE(auto sequence, SequenceDecoder::Make(offsets));
    return std::make_unique<SequenceOffsetsDecoder>(std::move(sequence),
                                                    std::make_unique<Decoder<uint64_t>>(args...));
  }
  const uint64_t bits = offsets.flat().bits_per_value();
  if (bits == 32) return std::make_unique<Decoder<uint32_t>>(args...);
  if (bits == 64) return std::make_unique<Decoder<uint64_t>>(args...);
  return Corrupt("strings with offsets of ", bits, " bits");
}

template <typename Index>
Status GatherFixedAs(const DecodedBlock& items, const uint8_t* indices, uint64_t count,
                     const FixedTarget& target) {
  const uint64_t width = items.value_bits / 8;
  const uint8_t* values = items.values->data();
  uint8_t* out = target.data + target.at * width;
  auto gather = [&](auto copy) -> Status {
    for (uint64_t i = 0; i < count; ++i) {
      const Index index = LoadLittleEndian<Index>(indices + i * sizeof(Index));
      if (index >= items.num_values) {
        return Corrupt("dictionary index ", uint64_t{index}, ", with ", items.num_values,
                       " items present");
      }
      copy(out + i * width, values + index * width);
    }
    return Status::OK();
  };
  if (width == 8) return gather([](uint8_t* to, const uint8_t* from) { std::memcpy(to, from, 8); });
  if (width == 16) {
    return gather([](uint8_t* to, const uint8_t* from) { std::memcpy(to, from, 16); });
  }
  return gather([width](uint8_t* to, const uint8_t* from) { std::memcpy(to, from, width); });
}

// Items of at most 16 bytes are copied as 16 bytes each, without a call: room for that is made
// behind the values and behind the items.
constexpr uint64_t kShortItemBytes = 16;

bool ItemsAreShort(const DecodedBlock& items) { return items.longest_item <= kShortItemBytes; }

template <typename Index>
Status GatherVariableAs(const DecodedBlock& items, const uint8_t* indices, uint64_t count,
                        LeafSink& sink) {
  const int64_t* offsets = items.offset_data();
  uint64_t total = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const Index index = LoadLittleEndian<Index>(indices + i * sizeof(Index));
    if (index >= items.num_values) {
      return Corrupt("dictionary index ", uint64_t{index}, ", with ", items.num_values,
                     " items present");
    }
    total += static_cast<uint64_t>(offsets[index + 1] - offsets[index]);
  }
  ARROW_RETURN_NOT_OK(sink.ReserveVariable(count, total + kShortItemBytes));
  const uint8_t* bytes = items.values->data();
  uint8_t* const begin = sink.variable_end();
  uint64_t* const ends = EndsScratch(count);
  uint64_t end = 0;
  auto gather = [&](auto copy) {
    for (uint64_t i = 0; i < count; ++i) {
      const Index index = LoadLittleEndian<Index>(indices + i * sizeof(Index));
      const auto size = static_cast<uint64_t>(offsets[index + 1] - offsets[index]);
      copy(begin + end, bytes + offsets[index], size);
      end += size;
      ends[i] = end;
    }
  };
  if (ItemsAreShort(items)) {
    gather(
        [](uint8_t* to, const uint8_t* from, uint64_t) { std::memcpy(to, from, kShortItemBytes); });
  } else {
    gather([](uint8_t* to, const uint8_t* from, uint64_t size) {
      if (size > 0) std::memcpy(to, from, size);
    });
  }
  sink.EndValues(ends, uint64_t{0}, count);
  return Status::OK();
}

}  // namespace

Result<std::unique_ptr<VariableDecoder>> VariableDecoder::Make(
    const encodings21::CompressiveEncoding& encoding) {
  using Kind = encodings21::CompressiveEncoding::CompressionCase;
  switch (encoding.compression_case()) {
    case Kind::kVariable:
      return MakeForOffsets<PlainDecoder>(encoding.variable());
    case Kind::kFsst: {
      if (!encoding.fsst().values().has_variable()) {
        return Unsupported("FSST over ", EncodingName(encoding.fsst().values()));
      }
      ARROW_ASSIGN_OR_RAISE(auto fsst, FsstDecoder::Parse(AsBytes(encoding.fsst().symbol_table())));
      return MakeForOffsets<FsstChunkDecoder>(encoding.fsst().values().variable(), fsst);
    }
    case Kind::kGeneral: {
      ARROW_ASSIGN_OR_RAISE(CompressionScheme scheme, SchemeOf(encoding.general()));
      ARROW_ASSIGN_OR_RAISE(auto inner, Make(encoding.general().values()));
      return std::make_unique<GeneralVariableDecoder>(scheme, std::move(inner));
    }
    default:
      return Unsupported("mini-block encoding ", EncodingName(encoding), " for byte strings");
  }
}

Status GatherFixed(const DecodedBlock& items, const uint8_t* indices, uint64_t index_bits,
                   uint64_t count, const FixedTarget& target) {
  switch (index_bits) {
    case 8:
      return GatherFixedAs<uint8_t>(items, indices, count, target);
    case 16:
      return GatherFixedAs<uint16_t>(items, indices, count, target);
    case 32:
      return GatherFixedAs<uint32_t>(items, indices, count, target);
    case 64:
      return GatherFixedAs<uint64_t>(items, indices, count, target);
    default:
      return Corrupt("dictionary indices of ", index_bits, " bits");
  }
}

Status GatherVariable(const DecodedBlock& items, const uint8_t* indices, uint64_t index_bits,
                      uint64_t count, LeafSink& sink) {
  switch (index_bits) {
    case 8:
      return GatherVariableAs<uint8_t>(items, indices, count, sink);
    case 16:
      return GatherVariableAs<uint16_t>(items, indices, count, sink);
    case 32:
      return GatherVariableAs<uint32_t>(items, indices, count, sink);
    case 64:
      return GatherVariableAs<uint64_t>(items, indices, count, sink);
    default:
      return Corrupt("dictionary indices of ", index_bits, " bits");
  }
}

}  // namespace lance::encoding
