#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// All rows of a source: they are needed in any order, and again when an operation is retried.
/// Those that take more memory than they may are in a temporary file. Immutable.
class SourceRows {
 public:
  struct Limits {
    /// Batches are put together up to about this size: far below the 2 GiB that an array of strings
    /// can hold.
    uint64_t batch_bytes = 256 << 20;
    /// What stays in memory.
    uint64_t memory_bytes = UINT64_MAX;
  };

  static Result<SourceRows> Read(arrow::RecordBatchReader* reader, arrow::MemoryPool* pool,
                                 const Limits& limits);

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  /// The rows in order, in few large batches.
  const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches() const { return batches_; }
  uint64_t num_rows() const { return starts_.back(); }
  /// Some columns of the rows of these numbers, in that order.
  Result<std::shared_ptr<arrow::RecordBatch>> Take(std::span<const uint32_t> rows,
                                                   const std::vector<int>& columns,
                                                   arrow::MemoryPool* pool) const;

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_;
  std::vector<uint64_t> starts_ = {0};  // one more than batches
};

}  // namespace lance
