#include "dataset/data_file_writer.h"

#include "table/unique_names.h"

namespace lance {

Result<std::unique_ptr<DataFileWriter>> DataFileWriter::Open(const Context& context,
                                                             const TableLocation& table,
                                                             const Schema& schema,
                                                             const FileWriteOptions& options,
                                                             NewFiles* files) {
  std::string name = MakeDataFileName();
  std::string path = NewDataFilePath(table.root, name);
  ARROW_ASSIGN_OR_RAISE(auto object, table.store->OpenWriter(context, path));
  files->Add(std::move(path));
  ARROW_ASSIGN_OR_RAISE(auto file, FileWriter::Open(context, std::move(object), schema, options));
  return std::unique_ptr<DataFileWriter>(
      new DataFileWriter(std::move(name), options.version, std::move(file)));
}

Result<table::DataFile> DataFileWriter::Finish() {
  ARROW_ASSIGN_OR_RAISE(FileWriteResult result, file_->Finish());
  table::DataFile file;
  file.set_path(name_);
  file.mutable_fields()->Add(result.field_ids.begin(), result.field_ids.end());
  file.mutable_column_indices()->Add(result.column_indices.begin(), result.column_indices.end());
  FileVersionNumbers numbers = DataFileVersionNumbers(version_);
  file.set_file_major_version(numbers.major_version);
  file.set_file_minor_version(numbers.minor_version);
  file.set_file_size_bytes(result.size_bytes);
  return file;
}

Result<table::DataFragment> DataFileWriter::FinishFragment() {
  table::DataFragment fragment;
  fragment.set_physical_rows(num_rows());
  ARROW_ASSIGN_OR_RAISE(*fragment.add_files(), Finish());
  return fragment;
}

}  // namespace lance
