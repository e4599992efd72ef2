#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/byte_reader.h"
#include "base/error.h"
#include "encoding/read/leaf_sink.h"

namespace lance::encodings21 {
class CompressiveEncoding;
}

namespace lance::encoding {

/// Decodes a "block": a number of values known from outside, in one buffer (the block context of
/// spec/encodings.md §4.0). Levels and dictionary items are blocks. Immutable, thread-safe.
class BlockDecoder {
 public:
  virtual ~BlockDecoder() = default;

  /// Compiles an encoding; one that has no block form is Unsupported, named.
  static Result<std::unique_ptr<BlockDecoder>> Make(
      const encodings21::CompressiveEncoding& encoding);

  bool variable() const { return variable_; }
  /// Bits of a value, for fixed-width blocks.
  uint64_t value_bits() const { return value_bits_; }

  /// Most fixed-width values that these bytes can hold.
  virtual Result<uint64_t> MaxValues(Bytes bytes) const;
  /// How many values runs prove these bytes to hold; 0: the encoding doesn't tell.
  virtual uint64_t CountInRuns(Bytes /*bytes*/) const { return 0; }
  /// Fixed-width: exactly `count` values into `out`, ⌈count × value_bits / 8⌉ bytes.
  virtual Status DecodeFixed(Bytes bytes, uint64_t count, uint8_t* out) const;
  /// One of `count` fixed-width values, without the others; false where that can't be done.
  virtual Result<bool> DecodeOne(Bytes /*bytes*/, uint64_t /*count*/, uint64_t /*index*/,
                                 uint8_t* /*out*/) const {
    return false;
  }
  /// Variable-width.
  virtual Result<DecodedBlock> DecodeVariable(Bytes bytes, uint64_t count,
                                              arrow::MemoryPool* pool) const;
  /// Either kind into fresh buffers; a count that the bytes can't hold is Corrupt before anything
  /// is allocated.
  virtual Result<DecodedBlock> Decode(Bytes bytes, uint64_t count, arrow::MemoryPool* pool) const;

 protected:
  BlockDecoder(bool variable, uint64_t value_bits) : variable_(variable), value_bits_(value_bits) {}

 private:
  bool variable_;
  uint64_t value_bits_;
};

/// A decoder of 16-bit levels: BlockDecoder with the width checked.
Result<std::unique_ptr<BlockDecoder>> MakeLevelDecoder(
    const encodings21::CompressiveEncoding& encoding);

}  // namespace lance::encoding
