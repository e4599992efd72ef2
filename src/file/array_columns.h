#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "file/file_metadata.h"
#include "file/tree_columns.h"

namespace lance {

/// The columns of a file of version 2.0: one for each field, structs and lists included.
class ArrayColumns final : public TreeColumns {
 public:
  /// Both outlive this.
  ArrayColumns(RandomReader& reader, const FileMetadata& metadata);
  ~ArrayColumns() override;

  uint32_t num_columns() const override { return metadata_.num_columns(); }
  Result<uint64_t> CountRows(const Context& context) override;
  Result<std::vector<const PagedColumn*>> Load(const Context& context,
                                               std::span<const StoredField> fields) override;
  Result<double> StoredBytes(const Context& context,
                             std::span<const uint32_t> columns) const override;

 private:
  class Column;
  const Column* Find(const StoredField& stored) const;
  RandomReader& reader_;
  const FileMetadata& metadata_;
  std::mutex mutex_;
  std::vector<std::vector<std::unique_ptr<Column>>> columns_;  ///< those loaded, by shape
};

/// Indexes of the columns of StoredFields(), of a file that holds just this schema.
std::vector<uint32_t> ArrayColumnsOf(const Schema& schema);

}  // namespace lance
