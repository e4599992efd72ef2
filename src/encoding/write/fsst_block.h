#pragma once

#include <memory>
#include <string>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/codec/fsst_encoder.h"
#include "encoding/write/scratch_array.h"
#include "encoding/write/value_block.h"

namespace lance::encoding {

/// The strings of a page as FSST codes.
struct FsstBlock {
  std::string symbol_table;
  VariableBlock block;
  std::shared_ptr<arrow::Buffer> offsets;
  std::shared_ptr<arrow::Buffer> codes;
};

/// Compresses strings with a table learnt from them; null if that doesn't make them smaller.
Result<std::shared_ptr<FsstBlock>> CompressWithFsst(const VariableBlock& block,
                                                    arrow::MemoryPool* pool,
                                                    FsstEncoder::Effort effort);

}  // namespace lance::encoding
