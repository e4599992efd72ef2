#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataset/append_schema.h"
#include "dataset/snapshot.h"
#include "dataset/source_rows.h"

namespace lance {

/// Paths of the fields that a source with the fields `given` lacks. Lists come whole: their items
/// are not those of the row before.
std::vector<std::string> MissingPaths(const Schema& table, const Schema& given);

/// Makes whole rows of a table from rows of a source that may lack columns, or members of structs.
/// Outlived by the source.
class SourceRowValues {
 public:
  static Result<SourceRowValues> Make(std::shared_ptr<const Snapshot> snapshot,
                                      const SourceRows* source, AppendMapping mapping);

  struct OldRows {
    std::shared_ptr<arrow::RecordBatch> batch;
    /// With new values.
    std::vector<uint64_t> ids;
  };
  /// The rows of the table at these positions (ascending) with the values of the source's rows;
  /// what the source lacks stays. `ids` are only filled if row ids are stable.
  Result<OldRows> Replace(std::span<const uint64_t> positions,
                          std::span<const uint32_t> source_rows) const;
  /// New rows; what the source lacks is null.
  Result<std::shared_ptr<arrow::RecordBatch>> Insert(std::span<const uint32_t> source_rows) const;

 private:
  SourceRowValues() = default;

  Result<std::shared_ptr<arrow::RecordBatch>> Combine(std::span<const uint32_t> source_rows,
                                                      const arrow::RecordBatch* old) const;

  std::shared_ptr<const Snapshot> snapshot_;
  Context context_;
  /// Of whole rows, and of what is given of them, in the layouts that they are written in.
  Schema rewrite_schema_;
  Schema given_schema_;
  std::shared_ptr<arrow::Schema> schema_;
  const SourceRows* source_ = nullptr;
  AppendMapping mapping_;
  std::vector<int> source_columns_;  // all
  /// Reads what the source lacks.
  ColumnRequest kept_request_;
  std::shared_ptr<const ColumnSelection> kept_;
};

}  // namespace lance
