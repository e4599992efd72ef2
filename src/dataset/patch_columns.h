#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "dataset/append_schema.h"
#include "dataset/new_files.h"
#include "dataset/snapshot.h"
#include "dataset/source_rows.h"
#include "lance/dataset.h"

namespace lance {

/// A row of a fragment that takes values of a row of a source.
struct RowPatch {
  uint64_t position = 0;  ///< among the live rows of the fragment
  uint32_t source_row = 0;
};

/// Gives rows new values of some columns in place: a data file that holds these columns for all
/// rows of a fragment takes the place of those that held them. Outlived by the source.
class ColumnPatcher {
 public:
  /// `columns` of the source: by name those of the table, of the same types; of structs members may
  /// be missing, which keep their values. Blobs are a user error.
  static Result<ColumnPatcher> Make(std::shared_ptr<const Snapshot> snapshot,
                                    const SourceRows* source, std::vector<int> columns);

  /// The ids of all fields that take new values, parents first.
  std::vector<int32_t> fields() const;

  /// `patches` by position, each position once.
  Result<table::DataFragment> Patch(size_t fragment_index, std::span<const RowPatch> patches,
                                    NewFiles* files, const Poll& poll) const;

 private:
  ColumnPatcher() = default;

  Result<std::shared_ptr<arrow::RecordBatch>> Values(uint64_t fragment_id, uint64_t start,
                                                     uint64_t count,
                                                     std::span<const RowPatch> patches) const;

  std::shared_ptr<const Snapshot> snapshot_;
  Context context_;
  const SourceRows* source_ = nullptr;
  std::vector<int> columns_;
  AppendMapping mapping_;
  /// What the new files hold, in the layouts that they are written in.
  Schema file_schema_;
  /// Reads the same of the old ones.
  ColumnRequest old_values_;
};

/// The fields of the last file of a fragment, which is the one that Patch() added.
std::set<int32_t> PatchedFields(const table::DataFragment& fragment);

}  // namespace lance
