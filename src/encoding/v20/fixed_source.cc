#include "encoding/v20/fixed_source.h"

#include <algorithm>
#include <cstring>

#include "arrow/buffer.h"
#include "encoding/codec/bitpack.h"
#include "encoding/read/bit_copy.h"
#include "encoding/v20/encoding_kind.h"
#include "encodings20.pb.h"

namespace lance::encoding::v20 {
namespace {

// A block of 1024 values at one bit each.
constexpr uint64_t kBlockBytesPerBit = kBitpackBlock / 8;

// No codec gains more: see DecompressedSize().
constexpr uint64_t kMaxCompressionRatio = 32 * 1024;

bool IsIntegerWidth(uint64_t bits) { return bits == 8 || bits == 16 || bits == 32 || bits == 64; }

Result<CompressionScheme> SchemeOf(const std::string& name) {
  if (name == "zstd") return CompressionScheme::kZstd;
  if (name == "lz4") return CompressionScheme::kLz4;
  return Unsupported("compression scheme '", name, "' in a file of version 2.0");
}

uint64_t LowBits(uint64_t bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

}  // namespace

Status FixedSource::CheckSize(uint64_t stored_values) const {
  // A file is far smaller than 2^60 bytes, so that its bits can be counted.
  const uint64_t available = buffer_.size * 8;
  if (stored_bits_ == 0 || stored_values <= available / stored_bits_) return Status::OK();
  return Corrupt("page buffer of ", buffer_.size, " bytes is too small for ", stored_values,
                 " values of ", stored_bits_, " bits");
}

Result<FixedSource> FixedSource::MakePlain(PageBuffer buffer, uint64_t bits, uint64_t count) {
  if (bits == 0 || (bits != 1 && bits % 8 != 0)) {
    return Unsupported("values of ", bits, " bits in a file before version 2.1");
  }
  FixedSource out;
  out.buffer_ = buffer;
  out.bits_ = bits;
  out.stored_bits_ = bits;
  ARROW_RETURN_NOT_OK(out.CheckSize(count));
  return out;
}

Result<FixedSource> FixedSource::Make(const encodings::ArrayEncoding& encoding,
                                      const BufferTable& buffers, uint64_t bits, uint64_t count) {
  FixedSource out;
  out.bits_ = bits;
  if (encoding.has_flat()) {
    const auto& flat = encoding.flat();
    if (flat.bits_per_value() != bits) {
      return Corrupt("page holds values of ", flat.bits_per_value(), " bits, the column's have ",
                     bits);
    }
    ARROW_ASSIGN_OR_RAISE(PageBuffer buffer, buffers.Find(flat.buffer()));
    const std::string& scheme = flat.compression().scheme();
    const bool compressed = flat.has_compression() && !scheme.empty() && scheme != "none";
    ARROW_ASSIGN_OR_RAISE(FixedSource plain, MakePlain(buffer, bits, compressed ? 0 : count));
    if (!compressed) return plain;
    out.layout_ = Layout::kCompressed;
    out.buffer_ = buffer;
    ARROW_ASSIGN_OR_RAISE(out.scheme_, SchemeOf(scheme));
    if (count > buffer.size * 8 * kMaxCompressionRatio / bits) {
      return Corrupt("compressed page buffer of ", buffer.size, " bytes is too small for ", count,
                     " values of ", bits, " bits");
    }
    return out;
  }
  const bool in_blocks = encoding.has_bitpacked_for_non_neg();
  if (!in_blocks && !encoding.has_bitpacked()) return NotOfTheType(encoding);
  const auto& blocks = encoding.bitpacked_for_non_neg();
  const auto& stream = encoding.bitpacked();
  out.layout_ = in_blocks ? Layout::kBlocks : Layout::kBitStream;
  out.stored_bits_ =
      in_blocks ? blocks.compressed_bits_per_value() : stream.compressed_bits_per_value();
  out.is_signed_ = stream.is_signed();
  const uint64_t declared =
      in_blocks ? blocks.uncompressed_bits_per_value() : stream.uncompressed_bits_per_value();
  if (declared != bits || !IsIntegerWidth(bits) || out.stored_bits_ > bits) {
    return Corrupt("page holds values of ", declared, " bits packed into ", out.stored_bits_,
                   ", the column's have ", bits);
  }
  ARROW_ASSIGN_OR_RAISE(out.buffer_, buffers.Find(in_blocks ? blocks.buffer() : stream.buffer()));
  uint64_t stored_values = count;
  if (in_blocks) stored_values = (count + kBitpackBlock - 1) / kBitpackBlock * kBitpackBlock;
  ARROW_RETURN_NOT_OK(out.CheckSize(stored_values));
  return out;
}

Result<FixedSource> FixedSource::MakeBytes(const encodings::ArrayEncoding& encoding,
                                           const BufferTable& buffers) {
  ARROW_ASSIGN_OR_RAISE(const auto* values, WithoutNulls(encoding));
  if (!values->has_flat()) return NotOfTheType(*values);
  return Make(*values, buffers, 8, 0);
}

NeededBytes FixedSource::Need(RowRange range) const {
  uint64_t begin = 0;
  uint64_t end = 0;
  if (layout_ == Layout::kBlocks) {
    const uint64_t block_bytes = kBlockBytesPerBit * stored_bits_;
    begin = range.start / kBitpackBlock * block_bytes;
    end = (range.end() + kBitpackBlock - 1) / kBitpackBlock * block_bytes;
  } else {
    begin = range.start * stored_bits_ / 8;
    end = BytesForBits(range.end() * stored_bits_);
  }
  return {buffer_.offset + begin, end - begin};
}

void FixedSource::AddNeeds(std::span<const RowRange> ranges, uint8_t* into,
                           std::vector<NeededBytes>* needs) const {
  if (is_compressed()) {
    needs->push_back({buffer_.offset, buffer_.size});
    return;
  }
  for (const RowRange& range : ranges) {
    needs->push_back(Need(range));
    if (into == nullptr) continue;
    needs->back().into = into;
    into += needs->back().size;
  }
}

Result<std::shared_ptr<arrow::Buffer>> FixedSource::Decompress(Bytes stored,
                                                               arrow::MemoryPool* pool) const {
  return encoding::Decompress(scheme_, stored, pool);
}

Status FixedSource::DecodeCompressed(Bytes stored, std::span<const RowRange> ranges, uint8_t* out,
                                     uint64_t at, arrow::MemoryPool* pool) const {
  ARROW_ASSIGN_OR_RAISE(auto values, Decompress(stored, pool));
  const uint64_t available = static_cast<uint64_t>(values->size()) * 8 / bits_;
  for (const RowRange& range : ranges) {
    if (range.end() > available) {
      return Corrupt("page buffer decompresses to ", values->size(), " bytes, too few for ",
                     range.end(), " values of ", bits_, " bits");
    }
    CopyBits(values->data(), range.start * bits_, range.count * bits_, out, at * bits_);
    at += range.count;
  }
  return Status::OK();
}

void FixedSource::DecodeBitStream(Bytes stored, RowRange range, uint8_t* out) const {
  const uint64_t first_bit = range.start * stored_bits_ % 8;
  const uint64_t mask = LowBits(stored_bits_);
  const uint64_t sign = stored_bits_ == 0 ? 0 : uint64_t{1} << (stored_bits_ - 1);
  for (uint64_t i = 0; i < range.count; ++i) {
    const uint64_t bit = first_bit + i * stored_bits_;
    const uint64_t shift = bit % 8;
    uint64_t value = 0;
    for (uint64_t got = 0; got < shift + stored_bits_; got += 8) {
      const uint64_t byte = stored[(bit + got) / 8];
      value |= got < shift ? byte >> shift : byte << (got - shift);
    }
    value &= mask;
    if (is_signed_ && (value & sign) != 0) value |= ~mask;
    std::memcpy(out + i * (bits_ / 8), &value, bits_ / 8);
  }
}

template <typename T>
void FixedSource::DecodeBlocks(Bytes stored, RowRange range, uint8_t* out) const {
  const auto width = static_cast<uint32_t>(stored_bits_);
  T block[kBitpackBlock];
  const uint8_t* packed = stored.data();
  uint64_t skip = range.start % kBitpackBlock;
  for (uint64_t left = range.count; left > 0;) {
    UnpackBlock(width, packed, block);
    const uint64_t take = std::min(left, kBitpackBlock - skip);
    std::memcpy(out, block + skip, take * sizeof(T));
    out += take * sizeof(T);
    left -= take;
    skip = 0;
    packed += kBlockBytesPerBit * width;
  }
}

Status FixedSource::Decode(std::span<const Bytes> stored, std::span<const RowRange> ranges,
                           uint8_t* out, uint64_t at, arrow::MemoryPool* pool) const {
  if (is_compressed()) return DecodeCompressed(stored[0], ranges, out, at, pool);
  for (size_t i = 0; i < ranges.size(); ++i) {
    const RowRange& range = ranges[i];
    if (layout_ == Layout::kPlain) {
      // What was read straight into place stays there.
      if (!is_final() || stored[i].data() != out + at * bits_ / 8) {
        CopyBits(stored[i].data(), range.start * bits_ % 8, range.count * bits_, out, at * bits_);
      }
    } else if (layout_ == Layout::kBitStream) {
      DecodeBitStream(stored[i], range, out + at * bits_ / 8);
    } else if (bits_ == 8) {
      DecodeBlocks<uint8_t>(stored[i], range, out + at);
    } else if (bits_ == 16) {
      DecodeBlocks<uint16_t>(stored[i], range, out + at * 2);
    } else if (bits_ == 32) {
      DecodeBlocks<uint32_t>(stored[i], range, out + at * 4);
    } else {
      DecodeBlocks<uint64_t>(stored[i], range, out + at * 8);
    }
    at += range.count;
  }
  return Status::OK();
}

}  // namespace lance::encoding::v20
