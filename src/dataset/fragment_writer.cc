#include "dataset/fragment_writer.h"

#include <algorithm>

#include "arrow/record_batch.h"
#include "arrow/util/byte_size.h"
#include "table/row_words.h"
#include "table/unique_names.h"

namespace lance {

FragmentWriter::FragmentWriter(const Context& context, TableLocation table, Schema schema,
                               FragmentWriteOptions options)
    : context_(context), table_(std::move(table)), schema_(std::move(schema)), options_(options) {
  options_.max_rows_per_file = std::min(options_.max_rows_per_file, kMaxFragmentRows);
}

FragmentWriter::~FragmentWriter() {
  file_.reset();
  for (const std::string& path : paths_) (void)table_.store->Delete(context_, path);
}

uint64_t FragmentWriter::RowsThatFit(const arrow::RecordBatch& batch, int64_t at) const {
  auto left = static_cast<uint64_t>(batch.num_rows() - at);
  uint64_t rows = std::min(left, options_.max_rows_per_file - file_->num_rows());
  uint64_t written = file_->estimated_bytes();
  uint64_t room = options_.max_bytes_per_file > written ? options_.max_bytes_per_file - written : 0;
  auto bytes = arrow::util::ReferencedBufferSize(batch);
  if (!bytes.ok() || static_cast<uint64_t>(*bytes) <= room) return rows;
  double per_row = static_cast<double>(*bytes) / static_cast<double>(batch.num_rows());
  auto fitting = static_cast<uint64_t>(static_cast<double>(room) / per_row);
  return std::clamp<uint64_t>(fitting, 1, rows);
}

Status FragmentWriter::Write(const std::shared_ptr<arrow::RecordBatch>& batch) {
  for (int64_t at = 0; at < batch->num_rows();) {
    ARROW_RETURN_NOT_OK(context_.CheckStop());
    if (file_ == nullptr) ARROW_RETURN_NOT_OK(OpenFile());
    auto rows = static_cast<int64_t>(RowsThatFit(*batch, at));
    bool whole = at == 0 && rows == batch->num_rows();
    ARROW_RETURN_NOT_OK(file_->WriteBatch(whole ? *batch : *batch->Slice(at, rows)));
    at += rows;
    if (file_->num_rows() >= options_.max_rows_per_file ||
        file_->estimated_bytes() >= options_.max_bytes_per_file) {
      ARROW_RETURN_NOT_OK(CloseFile());
    }
  }
  return Status::OK();
}

Status FragmentWriter::Finish() { return file_ != nullptr ? CloseFile() : Status::OK(); }

Status FragmentWriter::OpenFile() {
  file_name_ = MakeDataFileName();
  std::string path = NewDataFilePath(table_.root, file_name_);
  ARROW_ASSIGN_OR_RAISE(auto object, table_.store->OpenWriter(context_, path));
  paths_.push_back(std::move(path));
  return FileWriter::Open(context_, std::move(object), schema_, options_.file).Value(&file_);
}

Status FragmentWriter::CloseFile() {
  ARROW_ASSIGN_OR_RAISE(FileWriteResult result, file_->Finish());
  file_.reset();
  table::DataFragment fragment;
  fragment.set_physical_rows(result.num_rows);
  table::DataFile* file = fragment.add_files();
  file->set_path(file_name_);
  file->mutable_fields()->Add(result.field_ids.begin(), result.field_ids.end());
  file->mutable_column_indices()->Add(result.column_indices.begin(), result.column_indices.end());
  FileVersionNumbers numbers = DataFileVersionNumbers(options_.file.version);
  file->set_file_major_version(numbers.major_version);
  file->set_file_minor_version(numbers.minor_version);
  file->set_file_size_bytes(result.size_bytes);
  fragments_.push_back(std::move(fragment));
  return Status::OK();
}

}  // namespace lance
