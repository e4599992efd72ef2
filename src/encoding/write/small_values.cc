#include "encoding/write/small_values.h"

#include <cstring>
#include <utility>
#include <vector>

#include "encoding/write/scratch_array.h"

namespace lance::encoding {
namespace {

using Compression = EncodingHints::Compression;
using Split = EncodingHints::Split;

/// What a chunk takes beside its values: its header, its word and some padding.
constexpr uint64_t kChunkBytes = 12;
/// Writing is slow at this level, reading is not.
constexpr int32_t kZstdLevel = 15;
/// Parts of the size so far, in percent, that a candidate may have at most.
constexpr uint64_t kLz4Percent = 95;
constexpr uint64_t kZstdPercent = 80;
constexpr uint64_t kAnyPercent = 99;

uint64_t StoredBytes(const MiniBlockValues& values) {
  uint64_t total = 0;
  uint64_t first = 0;
  std::vector<uint8_t> scratch;
  for (size_t chunk = 0; chunk < values.chunks().size(); ++chunk) {
    scratch.resize(values.MaxChunkSize(chunk));
    for (uint32_t buffer = 0; buffer < values.num_buffers(); ++buffer) {
      total += values.WriteBuffer(chunk, first, buffer, scratch.data());
    }
    total += kChunkBytes;
    first += values.chunks()[chunk];
  }
  return total;
}

// The smallest of the candidates so far.
class Smallest {
 public:
  explicit Smallest(std::unique_ptr<MiniBlockValues> values)
      : values_(std::move(values)), bytes_(StoredBytes(*values_)) {}

  void Offer(std::unique_ptr<MiniBlockValues> values, uint64_t percent) {
    const uint64_t bytes = StoredBytes(*values);
    if (bytes * 100 > bytes_ * percent) return;
    values_ = std::move(values);
    bytes_ = bytes;
  }
  std::unique_ptr<MiniBlockValues> Take() { return std::move(values_); }

 private:
  std::unique_ptr<MiniBlockValues> values_;
  uint64_t bytes_;
};

EncodingHints Under(const EncodingHints& hints, Compression compression, Split split) {
  EncodingHints out = hints;
  out.compression = compression;
  out.byte_stream_split = split;
  if (compression == Compression::kZstd && !out.compression_level) {
    out.compression_level = kZstdLevel;
  }
  return out;
}

// Plain values under a general scheme.
Result<std::unique_ptr<MiniBlockValues>> CompressPlain(const FixedBlock& block,
                                                       const EncodingHints& hints,
                                                       arrow::MemoryPool* pool) {
  return CompressChunks(EncodeFlat(block), hints, pool);
}

// 32-bit indices in the lowest `bits` of each, whole bytes.
Result<ScratchArray<uint8_t>> Narrow(const FixedBlock& indices, uint64_t bits,
                                     arrow::MemoryPool* pool) {
  const uint64_t width = bits / 8;
  ARROW_ASSIGN_OR_RAISE(auto out, ScratchArray<uint8_t>::Allocate(indices.count * width, pool));
  for (uint64_t i = 0; i < indices.count; ++i) {
    std::memcpy(out.data() + i * width, indices.data + i * indices.width(), width);
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<MiniBlockValues>> EncodeSmallFixed(const FixedBlock& block,
                                                          RunLengthForms forms,
                                                          const EncodingHints& hints,
                                                          arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto chosen, EncodeFixed(block, forms, hints));
  Smallest smallest(std::move(chosen));
  const EncodingHints lz4 = Under(hints, Compression::kLz4, Split::kOn);
  ARROW_ASSIGN_OR_RAISE(auto plain, CompressPlain(block, lz4, pool));
  smallest.Offer(std::move(plain), kLz4Percent);
  ARROW_ASSIGN_OR_RAISE(auto split, EncodeFixed(block, RunLengthForms::kBytes, lz4));
  ARROW_ASSIGN_OR_RAISE(split, CompressChunks(std::move(split), lz4, pool));
  smallest.Offer(std::move(split), kLz4Percent);
  return smallest.Take();
}

Result<std::unique_ptr<MiniBlockValues>> EncodeSmallIndices(const FixedBlock& indices,
                                                            uint64_t bits, RunLengthForms forms,
                                                            arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto packed, EncodeFixed(indices, forms, EncodingHints{}));
  Smallest smallest(std::move(packed));
  ARROW_ASSIGN_OR_RAISE(auto narrow, Narrow(indices, bits, pool));
  const FixedBlock block = {indices.count, bits, narrow.data()};
  ARROW_ASSIGN_OR_RAISE(auto zstd,
                        CompressPlain(block, Under({}, Compression::kZstd, Split::kOff), pool));
  // Unless it is compressed it refers to the narrow indices, which end here.
  if (StoredBytes(*zstd) < StoredBytes(*EncodeFlat(block))) {
    smallest.Offer(std::move(zstd), kZstdPercent);
  }
  return smallest.Take();
}

Result<std::unique_ptr<MiniBlockValues>> EncodeCompressedIndices(const FixedBlock& indices,
                                                                 RunLengthForms forms,
                                                                 const EncodingHints& hints,
                                                                 arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto chosen, EncodeFixed(indices, forms, EncodingHints{}));
  Smallest smallest(std::move(chosen));
  ARROW_ASSIGN_OR_RAISE(auto values, EncodeFixed(indices, RunLengthForms::kBytes, hints));
  ARROW_ASSIGN_OR_RAISE(values, CompressChunks(std::move(values), hints, pool));
  smallest.Offer(std::move(values), kAnyPercent);
  return smallest.Take();
}

Result<std::unique_ptr<MiniBlockValues>> EncodeSmallVariable(const VariableBlock& block,
                                                             StringEnds ends,
                                                             const EncodingHints& hints,
                                                             FsstLearner* fsst,
                                                             arrow::MemoryPool* pool) {
  const EncodingHints zstd = Under(hints, Compression::kZstd, Split::kOff);
  ARROW_ASSIGN_OR_RAISE(auto values, EncodeVariable(block, fsst, ends, zstd, pool));
  return CompressChunks(std::move(values), zstd, pool);
}

}  // namespace lance::encoding
