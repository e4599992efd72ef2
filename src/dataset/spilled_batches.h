#pragma once

#include <memory>
#include <vector>

#include "arrow/io/type_fwd.h"
#include "arrow/ipc/type_fwd.h"
#include "arrow/type_fwd.h"
#include "base/error.h"
#include "io/temporary_file.h"

namespace lance {

/// Record batches in a temporary file, from where they are used without being read whole.
class SpilledBatches {
 public:
  static Result<std::unique_ptr<SpilledBatches>> Create(
      const std::shared_ptr<arrow::Schema>& schema);
  ~SpilledBatches();

  Status Write(const arrow::RecordBatch& batch);
  /// The batches in their order, on memory that is mapped from the file. Call once.
  Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> Finish();

 private:
  SpilledBatches(std::shared_ptr<arrow::Schema> schema, TemporaryFile file);

  std::shared_ptr<arrow::Schema> schema_;
  TemporaryFile file_;
  std::shared_ptr<arrow::io::OutputStream> stream_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

}  // namespace lance
