#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/byte_reader.h"
#include "base/error.h"
#include "encoding/read/block_decoder.h"

namespace lance::encodings21 {
class CompressiveEncoding;
}

namespace lance::encoding {

// Sequences of unsigned numbers (spec/encodings.md §7.3): positions, counts, indices, offsets.
//
//   constant                no payload; the number that is repeated (none: only for no numbers)
//   range                   no payload; start, start + step, …
//   delta                   payload of the differences; sums from a base
//   flat, bit-packed,       payload as in block context
//   general(flat)
//   rle                     u64 size of the values' payload, both payloads
//   dictionary              u64 sizes of the payloads of indices and items, both payloads
//
// Parts of delta, rle and dictionary are of the kinds without parts. A payload that would be empty
// because no part has one is left out.
class SequenceDecoder {
 public:
  static Result<std::unique_ptr<SequenceDecoder>> Make(
      const encodings21::CompressiveEncoding& encoding);
  virtual ~SequenceDecoder() = default;

  /// Whether there is a buffer for it.
  virtual bool has_payload() const = 0;
  /// Exactly `count` numbers. A rule takes no bytes for any count of them: more than
  /// kTrustedNumbers, and kNumbersOfAByte for each byte of the payload, are refused.
  Result<std::vector<uint64_t>> Decode(Bytes payload, uint64_t count) const;

  static constexpr uint64_t kTrustedNumbers = uint64_t{1} << 22;
  static constexpr uint64_t kNumbersOfAByte = 1024;

 protected:
  friend class DeltaSequence;
  friend class RleSequence;
  friend class DictionarySequence;
  virtual Status DecodeInto(Bytes payload, std::vector<uint64_t>* out) const = 0;
  /// How many numbers the payload holds, where it tells.
  virtual Result<uint64_t> CountIn(Bytes payload, uint64_t total) const;
};

}  // namespace lance::encoding
