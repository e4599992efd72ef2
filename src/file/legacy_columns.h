#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "file/legacy_metadata.h"
#include "file/tree_columns.h"
#include "io/object_store.h"

namespace lance {

/// One page of a file of version 0.1, as the page table has it.
struct LegacyPage {
  uint64_t position = 0;
  uint64_t length = 0;  ///< elements: rows, or offsets of lists
};

/// The columns of a file of version 0.1: each field id from the smallest on is one, also those
/// without data. Column indexes are rows of the page table.
class LegacyColumns final : public TreeColumns {
 public:
  /// Both outlive this.
  LegacyColumns(RandomReader& reader, const LegacyMetadata& metadata);
  ~LegacyColumns() override;

  /// As many as the page table could have.
  uint32_t num_columns() const override;
  Result<uint64_t> CountRows(const Context&) override { return metadata_.num_rows(); }
  Result<std::vector<const PagedColumn*>> Load(const Context& context,
                                               std::span<const StoredField> fields) override;
  Result<double> StoredBytes(const Context& context,
                             std::span<const uint32_t> columns) const override;

  /// The pages of some columns, read from the page table in one round.
  Result<std::vector<std::vector<LegacyPage>>> ReadPageTable(
      const Context& context, std::span<const uint32_t> columns) const;

 private:
  class Column;
  Result<std::unique_ptr<Column>> MakeColumn(const Context& context, const StoredField& stored,
                                             std::vector<LegacyPage> pages,
                                             const std::vector<LegacyPage>& item_pages) const;

  RandomReader& reader_;
  const LegacyMetadata& metadata_;
  std::mutex mutex_;
  std::map<uint32_t, std::unique_ptr<Column>> columns_;  ///< those loaded
};

/// The schema without what asks for packed structs: files of 0.1 hold them as any struct.
Schema WithoutPacking(Schema schema);
/// The columns of StoredFields(), of a file that holds just this schema.
std::vector<uint32_t> LegacyColumnsOf(const Schema& schema);
/// The column of each of the field ids that a data file has; -1 for ids without one.
std::vector<int32_t> LegacyColumnsOf(std::span<const int32_t> field_ids);

}  // namespace lance
