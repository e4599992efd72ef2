#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/byte_reader.h"
#include "base/error.h"
#include "encoding/codec/general_compression.h"
#include "encoding/read/page_reader.h"
#include "encoding/row_range.h"
#include "encoding/v20/buffer_table.h"

namespace lance::encodings {
class ArrayEncoding;
}

namespace lance::encoding::v20 {

// Values of a fixed number of bits in one buffer (spec/file-format.md §9.2, §9.12):
//
//   plain       1 bit each, LSB first, or whole bytes
//   compressed  the same behind general compression: one unit, always read whole
//   bit stream  `stored` bits each, LSB first, widened by zeros or the sign
//   blocks      1024 values each in the order of codec/bitpack.h, the last block padded

/// Any ranges of such values: says which bytes it needs, then decodes them. Immutable.
class FixedSource {
 public:
  /// `bits` of each of `count` values, as the column's type has them; checked against the buffer.
  static Result<FixedSource> Make(const encodings::ArrayEncoding& encoding,
                                  const BufferTable& buffers, uint64_t bits, uint64_t count);
  /// All the bytes of an encoding of 8-bit values, as many as there are.
  static Result<FixedSource> MakeBytes(const encodings::ArrayEncoding& encoding,
                                       const BufferTable& buffers);
  static Result<FixedSource> MakePlain(PageBuffer buffer, uint64_t bits, uint64_t count);

  uint64_t bits() const { return bits_; }
  const PageBuffer& buffer() const { return buffer_; }
  bool is_compressed() const { return layout_ == Layout::kCompressed; }
  /// Plain values of whole bytes: what is read is what is wanted.
  bool is_final() const { return layout_ == Layout::kPlain && bits_ % 8 == 0; }
  bool is_plain() const { return layout_ == Layout::kPlain; }

  /// Adds what decoding the ranges needs. `into`, allowed when is_final(), is where the first value
  /// goes.
  void AddNeeds(std::span<const RowRange> ranges, uint8_t* into,
                std::vector<NeededBytes>* needs) const;
  /// How many needs that adds.
  size_t CountNeeds(size_t ranges) const { return is_compressed() ? 1 : ranges; }

  /// Writes the values of the ranges one after the other, from position `at` of `out` on. `stored`
  /// are the bytes asked for.
  Status Decode(std::span<const Bytes> stored, std::span<const RowRange> ranges, uint8_t* out,
                uint64_t at, arrow::MemoryPool* pool) const;

  /// All values of a compressed buffer.
  Result<std::shared_ptr<arrow::Buffer>> Decompress(Bytes stored, arrow::MemoryPool* pool) const;

 private:
  enum class Layout : uint8_t { kPlain, kCompressed, kBitStream, kBlocks };

  NeededBytes Need(RowRange range) const;
  Status DecodeCompressed(Bytes stored, std::span<const RowRange> ranges, uint8_t* out, uint64_t at,
                          arrow::MemoryPool* pool) const;
  void DecodeBitStream(Bytes stored, RowRange range, uint8_t* out) const;
  template <typename T>
  void DecodeBlocks(Bytes stored, RowRange range, uint8_t* out) const;
  Status CheckSize(uint64_t stored_values) const;

  Layout layout_ = Layout::kPlain;
  PageBuffer buffer_;
  uint64_t bits_ = 0;
  uint64_t stored_bits_ = 0;
  bool is_signed_ = false;
  CompressionScheme scheme_ = CompressionScheme::kZstd;
};

}  // namespace lance::encoding::v20
