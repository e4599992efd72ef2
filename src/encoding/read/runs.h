#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/byte_reader.h"
#include "base/error.h"
#include "encoding/codec/general_compression.h"
#include "encoding/read/block_decoder.h"

namespace lance::encodings21 {
class Rle;
}

namespace lance::encoding {

/// Runs of equal values in any of the forms of 2.3 (spec/encodings.md §4.5): values and lengths are
/// each flat, compressed as a whole, or bit-packed, but not both bit-packed. Immutable.
class RunsDecoder {
 public:
  static Result<RunsDecoder> Make(const encodings21::Rle& rle);

  uint64_t value_bits() const { return values_.block->value_bits(); }

  struct Runs {
    std::vector<uint8_t> values;  ///< of value_bits() each
    std::vector<uint32_t> lengths;
  };
  /// `num_values`: what the runs are to expand to, at least as many as there are runs.
  Result<Runs> Decode(Bytes values, Bytes lengths, uint64_t num_values) const;

 private:
  struct Part {
    std::unique_ptr<BlockDecoder> block;
    /// Set when the bytes tell how many numbers they hold.
    bool counts = true;
    bool compressed = false;
    CompressionScheme scheme = CompressionScheme::kLz4;
  };
  static Result<Part> MakePart(const encodings21::CompressiveEncoding& encoding);
  static Result<std::vector<uint8_t>> DecodePart(const Part& part, Bytes bytes, uint64_t count);
  static Result<uint64_t> CountOf(const Part& part, Bytes bytes);

  Part values_;
  Part lengths_;
};

}  // namespace lance::encoding
