#include <algorithm>
#include <cstring>
#include <utility>

#include "encoding/write/mini_block_values.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

class FlatValues : public MiniBlockValues {
 public:
  explicit FlatValues(const FixedBlock& block) : block_(block) {
    uint64_t size = kMaxChunkValues;
    while (size > 2 && (size * block.bits + 7) / 8 >= kMaxChunkBytes) size /= 2;
    CutEvenly(block.count, size);
  }

  void Describe(encodings21::CompressiveEncoding* out) const override {
    out->mutable_flat()->set_bits_per_value(block_.bits);
  }
  uint32_t num_buffers() const override { return 1; }
  uint64_t MaxChunkSize(size_t chunk) const override {
    return (chunks_[chunk] * block_.bits + 7) / 8;
  }
  uint64_t WriteBuffer(size_t chunk, uint64_t first, uint32_t, uint8_t* out) const override {
    // The first value of a chunk starts on a byte: chunk sizes are powers of two, and blocks of
    // single bits are cut every 4096.
    const uint64_t size = MaxChunkSize(chunk);
    std::memcpy(out, block_.data + first * block_.bits / 8, size);
    return size;
  }

 private:
  const FixedBlock block_;
};

class PackedStructs final : public FlatValues {
 public:
  PackedStructs(const FixedBlock& rows, std::vector<uint64_t> member_bits)
      : FlatValues(rows), member_bits_(std::move(member_bits)) {}

  void Describe(encodings21::CompressiveEncoding* out) const override {
    auto* packed = out->mutable_packed_struct();
    for (uint64_t bits : member_bits_) packed->add_bits_per_value(bits);
    FlatValues::Describe(packed->mutable_values());
  }

 private:
  const std::vector<uint64_t> member_bits_;
};

}  // namespace

void MiniBlockValues::CutEvenly(uint64_t count, uint64_t size) {
  chunks_.reserve((count + size - 1) / size);
  for (uint64_t first = 0; first < count; first += size) {
    chunks_.push_back(static_cast<uint32_t>(std::min(size, count - first)));
  }
}

std::unique_ptr<MiniBlockValues> EncodeFlat(const FixedBlock& block) {
  return std::make_unique<FlatValues>(block);
}

Result<std::unique_ptr<MiniBlockValues>> EncodePackedStructs(const FixedBlock& rows,
                                                             std::vector<uint64_t> member_bits) {
  if (rows.width() * 2 > kMaxChunkBytes) {
    return Unsupported("packed structs of ", rows.width(), " bytes each can't be stored: at most ",
                       kMaxChunkBytes / 2, " bytes fit; store the wide members beside the struct");
  }
  std::unique_ptr<MiniBlockValues> values =
      std::make_unique<PackedStructs>(rows, std::move(member_bits));
  return values;
}

}  // namespace lance::encoding
