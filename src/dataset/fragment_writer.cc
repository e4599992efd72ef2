#include "dataset/fragment_writer.h"

#include <algorithm>

#include "arrow/record_batch.h"
#include "arrow/util/byte_size.h"
#include "table/row_words.h"

namespace lance {

FragmentWriter::FragmentWriter(const Context& context, std::vector<DataFolder> folders,
                               Schema schema, FragmentWriteOptions options)
    : context_(context),
      folders_(std::move(folders)),
      schema_(std::move(schema)),
      options_(std::move(options)),
      files_(context) {
  options_.max_rows_per_file = std::min(options_.max_rows_per_file, kMaxFragmentRows);
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
    if (file_ == nullptr) {
      if (options_.on_begin) ARROW_RETURN_NOT_OK(options_.on_begin());
      const DataFolder& folder = folders_[next_folder_++ % folders_.size()];
      ARROW_ASSIGN_OR_RAISE(
          file_, DataFileWriter::Open(context_, folder, schema_, options_.data, &files_));
    }
    auto rows = static_cast<int64_t>(RowsThatFit(*batch, at));
    bool whole = at == 0 && rows == batch->num_rows();
    ARROW_RETURN_NOT_OK(
        file_->WriteBatch(whole ? batch : batch->Slice(at, rows), rows_given_ + at));
    at += rows;
    if (file_->num_rows() >= options_.max_rows_per_file ||
        file_->estimated_bytes() >= options_.max_bytes_per_file) {
      ARROW_RETURN_NOT_OK(CloseFile());
    }
  }
  rows_given_ += batch->num_rows();
  return Status::OK();
}

Status FragmentWriter::Finish() { return file_ != nullptr ? CloseFile() : Status::OK(); }

Status FragmentWriter::CloseFile() {
  ARROW_ASSIGN_OR_RAISE(auto fragment, file_->FinishFragment());
  file_.reset();
  fragments_.push_back(std::move(fragment));
  return options_.on_complete ? options_.on_complete(fragments_.back()) : Status::OK();
}

}  // namespace lance
