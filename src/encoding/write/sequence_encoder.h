#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance::encodings21 {
class CompressiveEncoding;
}

namespace lance::encoding {

/// Stores numbers as a sequence (2.3, spec/encodings.md §7.3) and describes it: a rule where one
/// number repeats or all steps are equal, which has no payload (null), else the smallest of: the
/// numbers or their differences packed to the width of the largest, indices into few numbers, or
/// all under zstd.
Result<std::shared_ptr<arrow::Buffer>> EncodeSequence(std::span<const uint64_t> numbers,
                                                      arrow::MemoryPool* pool,
                                                      encodings21::CompressiveEncoding* out);

}  // namespace lance::encoding
