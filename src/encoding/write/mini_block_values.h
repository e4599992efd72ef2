#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/encoding_hints.h"
#include "encoding/write/value_block.h"

namespace lance::encodings21 {
class CompressiveEncoding;
}

namespace lance::encoding {

class FsstLearner;

/// Values in one chunk, at most.
constexpr uint64_t kMaxChunkValues = 4096;
/// Encoded bytes that a chunk's values aim to stay within.
constexpr uint64_t kMaxChunkBytes = 8186;

/// The values of one page cut in chunks. Every chunk but the last holds a power of two of values,
/// 2 … kMaxChunkValues. One virtual call per chunk and buffer.
class MiniBlockValues {
 public:
  virtual ~MiniBlockValues() = default;

  /// Number of values of each chunk.
  const std::vector<uint32_t>& chunks() const { return chunks_; }
  virtual void Describe(encodings21::CompressiveEncoding* out) const = 0;
  virtual uint32_t num_buffers() const = 0;
  /// At least what all buffers of the chunk take.
  virtual uint64_t MaxChunkSize(size_t chunk) const = 0;
  /// Writes one buffer of a chunk whose first value is `first`; returns its size.
  virtual uint64_t WriteBuffer(size_t chunk, uint64_t first, uint32_t buffer,
                               uint8_t* out) const = 0;

 protected:
  /// Chunks of `size` values each and a shorter last one.
  void CutEvenly(uint64_t count, uint64_t size);

  std::vector<uint32_t> chunks_;
};

/// Values as they are. The block outlives the result.
std::unique_ptr<MiniBlockValues> EncodeFlat(const FixedBlock& block);
/// The members of each struct side by side, `member_bits` wide. The block outlives the result.
Result<std::unique_ptr<MiniBlockValues>> EncodePackedStructs(const FixedBlock& rows,
                                                             std::vector<uint64_t> member_bits);

/// How run lengths are stored.
enum class RunLengthForms : uint8_t {
  kBytes,
  kSmallest,  ///< 2.3: also as 16 bits, or packed
};

/// Flat, inline bitpacking or run lengths, whichever is smallest, unless `hints` ask for something
/// else. The block outlives the result.
Result<std::unique_ptr<MiniBlockValues>> EncodeFixed(const FixedBlock& block, RunLengthForms forms,
                                                     const EncodingHints& hints);
/// Bytes that EncodeFixed would need, without chunk headers, and whether as run lengths.
struct FixedSize {
  uint64_t bytes = 0;
  bool as_runs = false;
};
FixedSize EncodedFixedSize(const FixedBlock& block);
/// Of a run: its value and its length.
constexpr uint64_t RunBytes(uint64_t value_bytes) { return value_bytes + 1; }

/// Fixed-size lists of up to 4 KiB each.
Result<std::unique_ptr<MiniBlockValues>> EncodeFixedSizeLists(const LeafBlock& block);

/// How the chunks of a page store where strings end.
enum class StringEnds : uint8_t {
  kFlat,
  kSmallest,  ///< 2.3: also by rule, or as packed lengths
};

/// Strings as they are, or compressed with FSST where it pays; not if `fsst` is null.
Result<std::unique_ptr<MiniBlockValues>> EncodeVariable(const VariableBlock& block,
                                                        FsstLearner* fsst, StringEnds ends,
                                                        const EncodingHints& hints,
                                                        arrow::MemoryPool* pool);

/// The same values with the first buffer of every chunk compressed, as `hints` ask for; `values`
/// themselves where that would not make them smaller.
Result<std::unique_ptr<MiniBlockValues>> CompressChunks(std::unique_ptr<MiniBlockValues> values,
                                                        const EncodingHints& hints,
                                                        arrow::MemoryPool* pool);

}  // namespace lance::encoding
