#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/byte_reader.h"
#include "base/error.h"
#include "encoding/read/leaf_sink.h"

namespace lance::encodings21 {
class CompressiveEncoding;
}

namespace lance::encoding {

/// Values [start, start + count) of a chunk.
struct ValueRun {
  uint32_t start = 0;
  uint32_t count = 0;
};

/// Where fixed-width values go: value i of the call to bit (at + i) × value_bits of `data`.
struct FixedTarget {
  uint8_t* data = nullptr;
  uint64_t at = 0;
  /// Receives item validity of primitive fixed-size lists; null for other values.
  LeafSink* sink = nullptr;
};

/// Decodes values of mini-block chunks (the mini-block context of spec/encodings.md §4). One per
/// page; immutable, thread-safe. Only the values of the runs are decoded; runs are ascending and
/// within [0, num_values).
class FixedDecoder {
 public:
  virtual ~FixedDecoder() = default;
  /// `value_bits` is the width that the column's type asks for (indices: of the encoding).
  static Result<std::unique_ptr<FixedDecoder>> Make(
      const encodings21::CompressiveEncoding& encoding, const LeafShape& shape);

  uint64_t value_bits() const { return value_bits_; }
  uint32_t num_buffers() const { return num_buffers_; }
  virtual Status Decode(std::span<const Bytes> buffers, uint32_t num_values,
                        std::span<const ValueRun> runs, const FixedTarget& target) const = 0;

 protected:
  FixedDecoder(uint64_t value_bits, uint32_t num_buffers)
      : value_bits_(value_bits), num_buffers_(num_buffers) {}

 private:
  uint64_t value_bits_;
  uint32_t num_buffers_;
};

/// The same for byte strings, which are appended to the sink.
class VariableDecoder {
 public:
  virtual ~VariableDecoder() = default;
  static Result<std::unique_ptr<VariableDecoder>> Make(
      const encodings21::CompressiveEncoding& encoding);

  virtual uint32_t num_buffers() const { return 1; }
  virtual Status Decode(std::span<const Bytes> buffers, uint32_t num_values,
                        std::span<const ValueRun> runs, LeafSink& sink) const = 0;
};

/// Appends items[index] to the sink for `count` indices of `index_bits` (8, 16, 32, 64), or writes
/// them to `target`. An index outside the dictionary is Corrupt.
Status GatherFixed(const DecodedBlock& items, const uint8_t* indices, uint64_t index_bits,
                   uint64_t count, const FixedTarget& target);
Status GatherVariable(const DecodedBlock& items, const uint8_t* indices, uint64_t index_bits,
                      uint64_t count, LeafSink& sink);

}  // namespace lance::encoding
