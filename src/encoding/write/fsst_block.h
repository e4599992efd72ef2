#pragma once

#include <memory>
#include <string>
#include <vector>

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

/// Compresses pages of strings, each with a table learnt from it. The pages of a column are alike:
/// what was learnt from one shortens the learning from the next. Cheap to copy.
class FsstLearner {
 public:
  explicit FsstLearner(FsstEncoder::Effort effort) : effort_(effort) {}

  /// Null if FSST doesn't make the strings smaller.
  Result<std::shared_ptr<FsstBlock>> Compress(const VariableBlock& block, arrow::MemoryPool* pool);

 private:
  // A table and what part of the sample that it was learnt from its codes take.
  struct Table {
    FsstEncoder encoder;
    double ratio;
  };
  Table Learn(const VariableBlock& block) const;

  FsstEncoder::Effort effort_;
  // Of the last page; null before.
  std::shared_ptr<const std::vector<std::string>> symbols_;
  double ratio_ = 0;
};

}  // namespace lance::encoding
