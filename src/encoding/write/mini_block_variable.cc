#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "base/byte_reader.h"
#include "encoding/codec/bitpack.h"
#include "encoding/write/fsst_block.h"
#include "encoding/write/mini_block_values.h"
#include "encoding/write/out_of_line_packing.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

constexpr uint64_t kDefaultChunkBytes = 4096;
constexpr uint8_t kStringPadding = 0x48;

template <typename Offset>
class VariableValues final : public MiniBlockValues {
 public:
  VariableValues(const VariableBlock& block, std::shared_ptr<FsstBlock> fsst, uint64_t chunk_bytes)
      : block_(block),
        offsets_(block.offsets_as<Offset>()),
        fsst_(std::move(fsst)),
        chunk_bytes_(chunk_bytes) {
    CutChunks();
  }

  void Describe(encodings21::CompressiveEncoding* out) const override {
    encodings21::CompressiveEncoding* values = out;
    if (fsst_ != nullptr) {
      out->mutable_fsst()->set_symbol_table(fsst_->symbol_table);
      values = out->mutable_fsst()->mutable_values();
    }
    DescribeEnds(values->mutable_variable()->mutable_offsets());
  }
  uint32_t num_buffers() const override { return ends_ == Ends::kLengths ? 2 : 1; }
  uint64_t MaxChunkSize(size_t chunk) const override { return sizes_[chunk]; }

  uint64_t WriteBuffer(size_t chunk, uint64_t first, uint32_t buffer, uint8_t* out) const override {
    const uint64_t count = chunks_[chunk];
    if (ends_ == Ends::kFlat) return WriteFlat(chunk, first, out);
    if (ends_ == Ends::kLengths && buffer == 0) return WriteLengths(first, count, out);
    const uint64_t bytes = offsets_[first + count] - offsets_[first];
    if (bytes > 0) std::memcpy(out, block_.bytes + offsets_[first], bytes);
    return bytes;
  }

  /// Stores the ends in whatever way is smallest for the page.
  void ChooseEnds() {
    uint64_t lengths = 0;
    bool equal = true;
    length_ = offsets_[1] - offsets_[0];
    for (uint64_t i = 0; i < block_.count; ++i) {
      const uint64_t length = offsets_[i + 1] - offsets_[i];
      lengths |= length;
      equal = equal && length == length_;
    }
    width_ = static_cast<uint32_t>(std::bit_width(lengths));
    if (equal) {
      ends_ = Ends::kRule;
    } else if (width_ < block_.offset_bits) {
      ChooseLengths();
    }
    if (ends_ == Ends::kFlat) return;
    uint64_t first = 0;
    for (size_t chunk = 0; chunk < chunks_.size(); first += chunks_[chunk++]) {
      sizes_[chunk] = offsets_[first + chunks_[chunk]] - offsets_[first];
      if (ends_ == Ends::kLengths) {
        sizes_[chunk] += OutOfLinePackedSize<Offset>(chunks_[chunk], width_);
      }
    }
  }

 private:
  enum class Ends : uint8_t {
    kFlat,
    kRule,     ///< all strings have one length
    kLengths,  ///< packed, in a buffer of their own
  };
  /// What one more buffer costs a chunk: its size and some padding.
  static constexpr uint64_t kChunkBufferBytes = 8;

  void DescribeEnds(encodings21::CompressiveEncoding* out) const {
    if (ends_ == Ends::kFlat) {
      out->mutable_flat()->set_bits_per_value(block_.offset_bits);
    } else if (ends_ == Ends::kLengths) {
      auto* delta = out->mutable_delta();
      delta->set_uncompressed_bits_per_value(block_.offset_bits);
      auto* packed = delta->mutable_deltas()->mutable_out_of_line_bitpacking();
      packed->set_uncompressed_bits_per_value(block_.offset_bits);
      packed->mutable_values()->mutable_flat()->set_bits_per_value(width_);
    } else if (length_ == 0) {
      out->mutable_constant()->set_value(std::string(sizeof(Offset), '\0'));
    } else {
      out->mutable_range()->set_uncompressed_bits_per_value(block_.offset_bits);
      out->mutable_range()->set_step(length_);
    }
  }

  // Packed lengths want chunks of as many strings as are packed together.
  void ChooseLengths() {
    uint64_t flat = 0;
    for (uint32_t count : chunks_) flat += (count + 1) * sizeof(Offset);
    ends_ = Ends::kLengths;
    CutChunks();
    uint64_t packed = 0;
    for (uint32_t count : chunks_) {
      packed += OutOfLinePackedSize<Offset>(count, width_) + kChunkBufferBytes;
    }
    if (packed < flat) return;
    ends_ = Ends::kFlat;
    CutChunks();
  }

  uint64_t WriteLengths(uint64_t first, uint64_t count, uint8_t* out) const {
    std::array<Offset, kMaxChunkValues> lengths;
    for (uint64_t i = 0; i < count; ++i) {
      lengths[i] = offsets_[first + i + 1] - offsets_[first + i];
    }
    return PackOutOfLine<Offset>({lengths.data(), count}, width_, out);
  }

  uint64_t WriteFlat(size_t chunk, uint64_t first, uint8_t* out) const {
    const uint64_t count = chunks_[chunk];
    const Offset* from = offsets_ + first;
    const auto start = static_cast<Offset>((count + 1) * sizeof(Offset));
    const Offset shift = start - from[0];
    for (uint64_t i = 0; i <= count; ++i) {
      StoreLittleEndian<Offset>(from[i] + shift, out + i * sizeof(Offset));
    }
    const uint64_t bytes = from[count] - from[0];
    if (bytes > 0) std::memcpy(out + start, block_.bytes + from[0], bytes);
    const uint64_t size = sizes_[chunk];
    std::memset(out + start + bytes, kStringPadding, size - start - bytes);
    return size;
  }

  uint64_t SizeOf(uint64_t first, uint64_t count) const {
    const uint64_t ends = ends_ == Ends::kLengths ? OutOfLinePackedSize<Offset>(count, width_)
                                                  : (count + 1) * sizeof(Offset);
    return ends + (offsets_[first + count] - offsets_[first]);
  }

  void CutChunks() {
    chunks_.clear();
    sizes_.clear();
    for (uint64_t first = 0; first < block_.count;) {
      const uint64_t size = ChunkAt(first);
      chunks_.push_back(static_cast<uint32_t>(size));
      first += size;
    }
  }

  uint64_t ChunkAt(uint64_t first) {
    const uint64_t rest = block_.count - first;
    const uint64_t most = ends_ == Ends::kLengths ? kBitpackBlock : kMaxChunkValues;
    uint64_t size = 2;
    if (rest <= most && SizeOf(first, rest) <= chunk_bytes_) {
      size = rest;
    } else {
      while (size * 2 <= std::min(rest, most) && SizeOf(first, size * 2) <= chunk_bytes_) {
        size *= 2;
      }
      size = std::min(size, rest);
    }
    sizes_.push_back((SizeOf(first, size) + sizeof(Offset) - 1) / sizeof(Offset) * sizeof(Offset));
    return size;
  }

  const VariableBlock block_;
  const Offset* const offsets_;
  // Null if the strings are stored as they are.
  const std::shared_ptr<FsstBlock> fsst_;
  const uint64_t chunk_bytes_;
  Ends ends_ = Ends::kFlat;
  // Of every string, where it is one.
  uint64_t length_ = 0;
  // Bits of the longest length.
  uint32_t width_ = 0;
  // By chunk.
  std::vector<uint64_t> sizes_;
};

template <typename Offset>
std::unique_ptr<MiniBlockValues> MakeValues(const VariableBlock& block,
                                            std::shared_ptr<FsstBlock> fsst, uint64_t chunk_bytes,
                                            bool choose_ends) {
  auto values = std::make_unique<VariableValues<Offset>>(block, std::move(fsst), chunk_bytes);
  if (choose_ends && block.count > 0) values->ChooseEnds();
  return values;
}

}  // namespace

Result<std::unique_ptr<MiniBlockValues>> EncodeVariable(const VariableBlock& block,
                                                        FsstLearner* learner, StringEnds ends,
                                                        const EncodingHints& hints,
                                                        arrow::MemoryPool* pool) {
  const uint64_t chunk_bytes = hints.mini_chunk_bytes.value_or(kDefaultChunkBytes);
  std::shared_ptr<FsstBlock> fsst;
  if (learner != nullptr) {
    ARROW_ASSIGN_OR_RAISE(fsst, learner->Compress(block, pool));
  }
  const VariableBlock& stored = fsst == nullptr ? block : fsst->block;
  // What is compressed has its ends in one buffer with the bytes.
  const bool choose = ends == StringEnds::kSmallest && !hints.wants_general();
  if (block.offset_bits == 32) {
    return MakeValues<uint32_t>(stored, std::move(fsst), chunk_bytes, choose);
  }
  return MakeValues<uint64_t>(stored, std::move(fsst), chunk_bytes, choose);
}

}  // namespace lance::encoding
