#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/encoding_hints.h"
#include "encoding/write/value_block.h"

namespace lance::encoding {

/// The strings of a page, each as a zstd frame of its own.
struct ZstdBlock {
  VariableBlock block;
  std::shared_ptr<arrow::Buffer> offsets;
  std::shared_ptr<arrow::Buffer> frames;
  int32_t level = 0;
};

/// Compresses strings one by one if some are long or `hints` ask for it; nothing if that hardly
/// makes them smaller.
Result<std::optional<ZstdBlock>> CompressWithZstd(const VariableBlock& block,
                                                  const EncodingHints& hints,
                                                  arrow::MemoryPool* pool);

}  // namespace lance::encoding
