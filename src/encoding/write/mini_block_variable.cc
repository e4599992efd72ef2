#include <algorithm>
#include <cstring>
#include <utility>

#include "base/byte_reader.h"
#include "encoding/write/fsst_block.h"
#include "encoding/write/mini_block_values.h"
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
    for (uint64_t first = 0; first < block.count;) {
      const uint64_t size = ChunkAt(first);
      chunks_.push_back(static_cast<uint32_t>(size));
      first += size;
    }
  }

  void Describe(encodings21::CompressiveEncoding* out) const override {
    encodings21::CompressiveEncoding* values = out;
    if (fsst_ != nullptr) {
      out->mutable_fsst()->set_symbol_table(fsst_->symbol_table);
      values = out->mutable_fsst()->mutable_values();
    }
    values->mutable_variable()->mutable_offsets()->mutable_flat()->set_bits_per_value(
        block_.offset_bits);
  }
  uint32_t num_buffers() const override { return 1; }
  uint64_t MaxChunkSize(size_t chunk) const override { return sizes_[chunk]; }

  uint64_t WriteBuffer(size_t chunk, uint64_t first, uint32_t, uint8_t* out) const override {
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

 private:
  uint64_t SizeOf(uint64_t first, uint64_t count) const {
    return (count + 1) * sizeof(Offset) + (offsets_[first + count] - offsets_[first]);
  }

  uint64_t ChunkAt(uint64_t first) {
    const uint64_t rest = block_.count - first;
    uint64_t size = 2;
    if (rest <= kMaxChunkValues && SizeOf(first, rest) <= chunk_bytes_) {
      size = rest;
    } else {
      while (size * 2 <= std::min(rest, kMaxChunkValues) &&
             SizeOf(first, size * 2) <= chunk_bytes_) {
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
  // By chunk.
  std::vector<uint64_t> sizes_;
};

}  // namespace

Result<std::unique_ptr<MiniBlockValues>> EncodeVariable(const VariableBlock& block, bool allow_fsst,
                                                        const EncodingHints& hints,
                                                        arrow::MemoryPool* pool) {
  const uint64_t chunk_bytes = hints.mini_chunk_bytes.value_or(kDefaultChunkBytes);
  std::shared_ptr<FsstBlock> fsst;
  if (allow_fsst) {
    ARROW_ASSIGN_OR_RAISE(fsst, CompressWithFsst(block, pool));
  }
  const VariableBlock& stored = fsst == nullptr ? block : fsst->block;
  std::unique_ptr<MiniBlockValues> values;
  if (block.offset_bits == 32) {
    values = std::make_unique<VariableValues<uint32_t>>(stored, std::move(fsst), chunk_bytes);
  } else {
    values = std::make_unique<VariableValues<uint64_t>>(stored, std::move(fsst), chunk_bytes);
  }
  return values;
}

}  // namespace lance::encoding
