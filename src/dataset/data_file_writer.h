#pragma once

#include <memory>
#include <string>

#include "arrow/type_fwd.h"
#include "base/context.h"
#include "dataset/new_files.h"
#include "file/file_writer.h"
#include "table.pb.h"
#include "table/table_paths.h"

namespace lance {

/// Writes one data file of a table, under a new name that is added to `files`.
class DataFileWriter {
 public:
  static Result<std::unique_ptr<DataFileWriter>> Open(const Context& context,
                                                      const TableLocation& table,
                                                      const Schema& schema,
                                                      const FileWriteOptions& options,
                                                      NewFiles* files);

  Status WriteBatch(const arrow::RecordBatch& batch) { return file_->WriteBatch(batch); }
  uint64_t num_rows() const { return file_->num_rows(); }
  uint64_t estimated_bytes() const { return file_->estimated_bytes(); }
  /// The file as a manifest lists it.
  Result<table::DataFile> Finish();
  /// The file as the only one of a new fragment.
  Result<table::DataFragment> FinishFragment();

 private:
  DataFileWriter(std::string name, FileVersion version, std::unique_ptr<FileWriter> file)
      : name_(std::move(name)), version_(version), file_(std::move(file)) {}

  std::string name_;
  FileVersion version_;
  std::unique_ptr<FileWriter> file_;
};

}  // namespace lance
