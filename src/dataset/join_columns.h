#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace arrow::compute {
class FunctionExecutor;
class SetLookupOptions;
}  // namespace arrow::compute

namespace lance {

/// The rows of a table by the values of one of its columns. Of rows with the same key the last one
/// counts; null keys match nothing. For one thread at a time.
class JoinTable {
 public:
  /// Takes the column `key` of `right`; the others are what a join adds. `left_key`: in a table
  /// with semantic types, the field that keys are matched with, in the layout that it is read in;
  /// else null.
  static Result<JoinTable> Make(const std::shared_ptr<arrow::RecordBatchReader>& right,
                                const std::string& key, const Field* left_key);

  /// The columns that a join adds; rows without a match are null, so all are nullable.
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  /// What a join adds, of all rows.
  const std::shared_ptr<arrow::RecordBatch>& values() const { return values_; }
  /// For each key the number of the matching row of values(), or null. Keys of another type are a
  /// user error.
  Result<std::shared_ptr<arrow::Int32Array>> Find(const std::shared_ptr<arrow::Array>& keys) const;
  /// For each key the matching row.
  Result<std::shared_ptr<arrow::RecordBatch>> Match(const std::shared_ptr<arrow::Array>& keys,
                                                    arrow::MemoryPool* pool) const;

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::RecordBatch> values_;
  std::shared_ptr<arrow::Array> keys_;
  /// What lookup_ refers to.
  std::shared_ptr<const arrow::compute::SetLookupOptions> options_;
  /// Finds keys; made once, as it holds all of keys_ in a hash table.
  std::shared_ptr<arrow::compute::FunctionExecutor> lookup_;
};

}  // namespace lance
