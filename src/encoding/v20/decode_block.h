#pragma once

#include <memory>
#include <span>
#include <vector>

#include "encoding/read/page_reader.h"

namespace lance::encoding::v20 {

/// The shape of a dictionary's items: 64-bit offsets if of variable width.
LeafShape ItemsShape(bool variable, uint64_t value_bits);

/// Decodes all of a page, of which all buffers are in memory: `buffers` says where in the file they
/// lie, `bytes` what they hold. The page has the shape ItemsShape(); its index is loaded as well.
Result<std::shared_ptr<const DecodedBlock>> DecodeBlock(PageReader& page,
                                                        std::span<const PageBuffer> buffers,
                                                        std::span<const Bytes> bytes,
                                                        arrow::MemoryPool* pool);

/// Takes what a sink of such a shape holds.
Result<std::shared_ptr<const DecodedBlock>> FinishBlock(LeafSink& sink, uint64_t num_values);

}  // namespace lance::encoding::v20
