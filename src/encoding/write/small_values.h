#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/mini_block_values.h"
#include "encoding/write/value_block.h"

namespace lance::encoding {

// The codecs of the profile `small`: each candidate is made, and the smallest is kept. A general
// scheme must win by some margin, as random rows pay for it.

/// Strings of up to so many bytes stand in chunks.
constexpr uint64_t kSmallChunkedString = 4096;

/// Numbers: what EncodeFixed chooses, or LZ4 over plain or split bytes; random rows under zstd
/// would take longer than the reference's. The block outlives the result.
Result<std::unique_ptr<MiniBlockValues>> EncodeSmallFixed(const FixedBlock& block,
                                                          RunLengthForms forms,
                                                          const EncodingHints& hints,
                                                          arrow::MemoryPool* pool);

/// Indices into the items of a dictionary, which fit in `bits` (8, 16, 32 or 64) of their own:
/// packed, or with so many bits each under zstd. The block outlives the result.
Result<std::unique_ptr<MiniBlockValues>> EncodeSmallIndices(const FixedBlock& indices,
                                                            uint64_t bits, RunLengthForms forms,
                                                            arrow::MemoryPool* pool);

/// The same where `hints` ask for a general scheme: with it, unless they are smaller without.
Result<std::unique_ptr<MiniBlockValues>> EncodeCompressedIndices(const FixedBlock& indices,
                                                                 RunLengthForms forms,
                                                                 const EncodingHints& hints,
                                                                 arrow::MemoryPool* pool);

/// Strings: FSST, and zstd over its codes.
Result<std::unique_ptr<MiniBlockValues>> EncodeSmallVariable(const VariableBlock& block,
                                                             StringEnds ends,
                                                             const EncodingHints& hints,
                                                             FsstLearner* fsst,
                                                             arrow::MemoryPool* pool);

}  // namespace lance::encoding
