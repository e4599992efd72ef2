// Dictionary items as one buffer.
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "arrow/buffer.h"
#include "base/byte_reader.h"
#include "encoding/write/dictionary.h"
#include "encoding/write/fixed_value_writer.h"
#include "encoding/write/general_scheme.h"
#include "encoding/write/out_of_line_packing.h"
#include "encoding/write/scratch_array.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

using encodings21::CompressiveEncoding;

// u32 32, u32 position of the bytes, count + 1 u32 offsets from 0, bytes; or the same in u64.
template <typename Offset>
Result<std::shared_ptr<arrow::Buffer>> FrameStrings(const VariableBlock& block,
                                                    arrow::MemoryPool* pool) {
  const uint64_t start = (2 + block.count + 1) * sizeof(Offset);
  const uint64_t size = start + block.num_bytes();
  ARROW_ASSIGN_OR_RAISE(auto out, ScratchArray<uint8_t>::Allocate(size, pool));
  uint8_t* at = out.data();
  auto put = [&at](uint64_t number) {
    StoreLittleEndian(static_cast<Offset>(number), at);
    at += sizeof(Offset);
  };
  put(sizeof(Offset) * 8);
  put(start);
  if (block.count == 0) {
    put(0);
    return out.buffer();
  }
  const uint64_t first = block.offset(0);
  for (uint64_t i = 0; i <= block.count; ++i) put(block.offset(i) - first);
  if (block.num_bytes() > 0) std::memcpy(at, block.bytes + first, block.num_bytes());
  return out.buffer();
}

// Null if packing gains nothing.
template <typename T>
Result<std::shared_ptr<arrow::Buffer>> PackItems(const FixedBlock& block, arrow::MemoryPool* pool,
                                                 CompressiveEncoding* description) {
  ARROW_ASSIGN_OR_RAISE(auto values, ScratchArray<T>::Allocate(block.count, pool));
  std::memcpy(values.data(), block.data, block.num_bytes());
  T all = 0;
  for (uint64_t i = 0; i < block.count; ++i) all |= values[i];
  const auto width = static_cast<uint32_t>(std::bit_width(all));
  if (width == 0 || width == block.bits) return nullptr;
  const uint64_t size = OutOfLinePackedSize<T>(block.count, width);
  ARROW_ASSIGN_OR_RAISE(auto out, ScratchArray<uint8_t>::Allocate(size, pool));
  PackOutOfLine<T>(values.view(), width, out.data());
  auto* packed = description->mutable_out_of_line_bitpacking();
  packed->set_uncompressed_bits_per_value(block.bits);
  packed->mutable_values()->mutable_flat()->set_bits_per_value(width);
  return out.buffer();
}

Result<std::shared_ptr<arrow::Buffer>> PackItems(const FixedBlock& block, arrow::MemoryPool* pool,
                                                 CompressiveEncoding* description) {
  switch (block.bits) {
    case 8:
      return PackItems<uint8_t>(block, pool, description);
    case 16:
      return PackItems<uint16_t>(block, pool, description);
    case 32:
      return PackItems<uint32_t>(block, pool, description);
    case 64:
      return PackItems<uint64_t>(block, pool, description);
    default:
      return nullptr;
  }
}

Result<std::shared_ptr<arrow::Buffer>> StoredLists(const LeafBlock& items,
                                                   arrow::MemoryPool* pool) {
  const FixedValueWriter writer(items);
  ARROW_ASSIGN_OR_RAISE(auto out,
                        ScratchArray<uint8_t>::Allocate(items.count * writer.bytes(), pool));
  uint8_t* at = out.data();
  for (uint64_t item = 0; item < items.count; ++item) at = writer.Write(item, at);
  return out.buffer();
}

Result<std::shared_ptr<arrow::Buffer>> PlainItems(const LeafBlock& items, arrow::MemoryPool* pool,
                                                  CompressiveEncoding* description) {
  if (items.kind == LeafBlock::Kind::kVariable) {
    description->mutable_variable()->mutable_offsets()->mutable_flat()->set_bits_per_value(
        items.variable.offset_bits);
    if (items.variable.offset_bits == 32) return FrameStrings<uint32_t>(items.variable, pool);
    return FrameStrings<uint64_t>(items.variable, pool);
  }
  if (items.kind == LeafBlock::Kind::kFixedSizeList) {
    DescribeFixed(items, description);
    return StoredLists(items, pool);
  }
  description->mutable_flat()->set_bits_per_value(items.fixed.bits);
  const uint64_t size = items.fixed.num_bytes();
  ARROW_ASSIGN_OR_RAISE(auto out, ScratchArray<uint8_t>::Allocate(size, pool));
  if (size > 0) std::memcpy(out.data(), items.fixed.data, size);
  return out.buffer();
}

}  // namespace

Result<std::shared_ptr<arrow::Buffer>> EncodeItems(const LeafBlock& items, uint32_t minor_version,
                                                   const EncodingHints::Dictionary& hints,
                                                   arrow::MemoryPool* pool,
                                                   CompressiveEncoding* description) {
  CompressiveEncoding plain;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> best, PlainItems(items, pool, &plain));
  const std::shared_ptr<arrow::Buffer> raw = best;
  *description = plain;
  if (items.kind == LeafBlock::Kind::kFixed) {
    CompressiveEncoding packed_description;
    ARROW_ASSIGN_OR_RAISE(auto packed, PackItems(items.fixed, pool, &packed_description));
    if (packed != nullptr && packed->size() < best->size()) {
      best = std::move(packed);
      *description = std::move(packed_description);
    }
  }
  const auto compression = hints.values == EncodingHints::Compression::kChosen
                               ? EncodingHints::Compression::kLz4
                               : hints.values;
  const std::optional<GeneralScheme> scheme = GeneralScheme::Of(compression, hints.values_level);
  if (minor_version < kMinorVersion2_2 || !scheme) return best;
  ARROW_ASSIGN_OR_RAISE(auto compressed,
                        scheme->Compress({raw->data(), static_cast<size_t>(raw->size())}, pool));
  if (compressed->size() >= best->size()) return best;
  description->Clear();
  auto* general = description->mutable_general();
  scheme->Describe(general->mutable_compression());
  *general->mutable_values() = std::move(plain);
  return compressed;
}

}  // namespace lance::encoding
