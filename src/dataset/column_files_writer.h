#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arrow/type_fwd.h"
#include "dataset/data_file_writer.h"
#include "dataset/new_files.h"
#include "dataset/snapshot.h"

namespace lance {

/// Writes new columns of existing rows: one more data file for each fragment. Values are given for
/// the live rows in order; deleted rows get the value of a live neighbour, so that the files have
/// as many rows as their fragments.
class ColumnFilesWriter {
 public:
  /// `schema`: the new fields with their ids (and parents), as the files declare them. `fragments`:
  /// indexes, in order; default all.
  ColumnFilesWriter(const Snapshot& snapshot, Schema schema, NewFiles* files,
                    std::optional<std::vector<size_t>> fragments = std::nullopt);

  Status Write(const std::shared_ptr<arrow::RecordBatch>& batch);
  /// The fragments with their new files. Too few values are a user error.
  Result<std::vector<table::DataFragment>> Finish();
  /// Writes all batches of `values` and finishes.
  Result<std::vector<table::DataFragment>> WriteAll(arrow::RecordBatchReader& values);

 private:
  Status SkipEmptyFragments();
  Status OpenFragment();
  Status CloseFragment();
  Status WriteRows(const std::shared_ptr<arrow::RecordBatch>& batch);

  const Snapshot& snapshot_;
  Context context_;
  Schema schema_;
  NewFiles* files_;
  std::vector<size_t> fragments_;
  size_t next_fragment_ = 0;

  /// Of the fragment being written.
  std::shared_ptr<FragmentReader> rows_;
  std::unique_ptr<DataFileWriter> file_;
  uint64_t live_written_ = 0;
  std::shared_ptr<arrow::RecordBatch> last_row_;

  std::vector<table::DataFragment> finished_;
  int64_t rows_given_ = 0;
};

}  // namespace lance
