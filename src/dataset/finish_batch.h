#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace lance {

/// The reader's boundary: makes of columns as they are read what callers get: JSON as text, and in
/// tables with semantic types each column in its output encoding. Immutable.
class BatchFinisher {
 public:
  /// For each column of `read` the field that it holds, if it is one of the table. Null if nothing
  /// is to be done.
  static Result<std::shared_ptr<const BatchFinisher>> Make(
      const std::shared_ptr<arrow::Schema>& read, std::vector<std::optional<Field>> fields,
      bool semantic_types);

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  /// A LayoutOverflow where values don't fit into their output encoding, which the error names with
  /// their size and the field.
  Result<std::shared_ptr<arrow::RecordBatch>> Finish(const arrow::RecordBatch& batch,
                                                     arrow::MemoryPool* pool) const;

 private:
  BatchFinisher() = default;

  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::optional<Field>> fields_;
  bool semantic_types_ = false;
};

/// `finisher` may be null.
Result<std::shared_ptr<arrow::RecordBatch>> FinishBatch(const BatchFinisher* finisher,
                                                        std::shared_ptr<arrow::RecordBatch> batch,
                                                        arrow::MemoryPool* pool);

}  // namespace lance
