#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/context.h"
#include "dataset/data_file_writer.h"
#include "dataset/new_files.h"
#include "table.pb.h"
#include "table/table_paths.h"

namespace lance {

struct FragmentWriteOptions {
  DataFileOptions data;
  uint64_t max_rows_per_file = 0;
  uint64_t max_bytes_per_file = 0;
  /// Called before a fragment is written and when it is complete; may be null.
  std::function<Status()> on_begin;
  std::function<Status(const table::DataFragment&)> on_complete;
};

/// Writes batches into data files of a table, a new file at each limit; each becomes a fragment
/// without an id. Unless Keep() is called, the files are deleted with the writer.
class FragmentWriter {
 public:
  /// The files take turns in going to the folders.
  FragmentWriter(const Context& context, std::vector<DataFolder> folders, Schema schema,
                 FragmentWriteOptions options);

  Status Write(const std::shared_ptr<arrow::RecordBatch>& batch);
  /// Ends the last file.
  Status Finish();
  /// The files belong to a version now, or may do so.
  void Keep() { files_.Keep(); }

  const std::vector<table::DataFragment>& fragments() const { return fragments_; }

 private:
  Status CloseFile();
  uint64_t RowsThatFit(const arrow::RecordBatch& batch, int64_t at) const;

  const Context& context_;
  std::vector<DataFolder> folders_;
  size_t next_folder_ = 0;
  Schema schema_;
  FragmentWriteOptions options_;
  NewFiles files_;
  /// Declared after files_: an unfinished file must be given up before it is deleted.
  std::unique_ptr<DataFileWriter> file_;
  std::vector<table::DataFragment> fragments_;
  int64_t rows_given_ = 0;
};

}  // namespace lance
