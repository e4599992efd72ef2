#include "dataset/column_files_writer.h"

#include <algorithm>
#include <numeric>

#include "arrow/api.h"
#include "base/check_offsets.h"
#include "base/compute_kernels.h"
#include "base/take_rows.h"
#include "dataset/prepare_batch.h"

namespace lance {
namespace {

constexpr int64_t kFillRows = 8192;

/// Row `row` of a batch, `count` times.
Result<std::shared_ptr<arrow::RecordBatch>> Repeat(const std::shared_ptr<arrow::RecordBatch>& batch,
                                                   int64_t row, int64_t count,
                                                   arrow::MemoryPool* pool) {
  arrow::Int64Builder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(count));
  for (int64_t i = 0; i < count; ++i) builder.UnsafeAppend(row);
  ARROW_ASSIGN_OR_RAISE(auto indices, builder.Finish());
  return TakeRows(batch, indices, pool);
}

}  // namespace

ColumnFilesWriter::ColumnFilesWriter(const Snapshot& snapshot, Schema schema, NewFiles* files,
                                     std::optional<std::vector<size_t>> fragments)
    : snapshot_(snapshot),
      context_(snapshot.MakeContext()),
      schema_(std::move(schema)),
      files_(files) {
  // It may say how columns are to be encoded.
  schema_.metadata = snapshot.manifest().schema.metadata;
  if (fragments) {
    fragments_ = std::move(*fragments);
  } else {
    fragments_.resize(snapshot.fragments().size());
    std::iota(fragments_.begin(), fragments_.end(), size_t{0});
  }
}

/// Fragments without live rows get no file: there are no values for one.
Status ColumnFilesWriter::SkipEmptyFragments() {
  ARROW_ASSIGN_OR_RAISE(auto counts, snapshot_.Counts());
  while (next_fragment_ < fragments_.size() &&
         counts->of_fragment(fragments_[next_fragment_]) == 0) {
    ARROW_ASSIGN_OR_RAISE(auto fragment,
                          ParseFragment(snapshot_.fragments()[fragments_[next_fragment_]]));
    finished_.push_back(std::move(fragment));
    ++next_fragment_;
  }
  return Status::OK();
}

Status ColumnFilesWriter::OpenFragment() {
  ARROW_RETURN_NOT_OK(SkipEmptyFragments());
  if (next_fragment_ == fragments_.size()) {
    return UserError("Stream produced more values than expected for dataset");
  }
  ARROW_ASSIGN_OR_RAISE(auto no_columns, snapshot_.Select({.columns = std::vector<std::string>()}));
  ARROW_ASSIGN_OR_RAISE(rows_,
                        snapshot_.OpenFragment(context_, no_columns, fragments_[next_fragment_]));
  DataFileOptions options;
  ARROW_ASSIGN_OR_RAISE(options.file.version, snapshot_.manifest().data_version());
  options.blobs = RewriteBlobs(snapshot_.manifest().head.base_paths());
  ARROW_ASSIGN_OR_RAISE(file_, DataFileWriter::Open(context_, OwnDataFolder(snapshot_.table()),
                                                    schema_, options, files_));
  live_written_ = 0;
  last_row_ = nullptr;
  return Status::OK();
}

/// Rows of one fragment: each run of live rows, and before it the deleted ones.
Status ColumnFilesWriter::WriteRows(const std::shared_ptr<arrow::RecordBatch>& batch) {
  std::vector<RowRange> physical;
  auto count = static_cast<uint64_t>(batch->num_rows());
  rows_->AppendPhysicalRanges({live_written_, count}, &physical);
  int64_t at = 0;
  for (const RowRange& range : physical) {
    while (file_->num_rows() < range.start) {
      auto gap = static_cast<int64_t>(range.start - file_->num_rows());
      ARROW_ASSIGN_OR_RAISE(auto filler,
                            Repeat(batch, at, std::min(gap, kFillRows), context_.pool()));
      ARROW_RETURN_NOT_OK(file_->WriteBatch(filler));
    }
    auto rows = static_cast<int64_t>(range.count);
    ARROW_RETURN_NOT_OK(file_->WriteBatch(batch->Slice(at, rows)));
    at += rows;
  }
  live_written_ += count;
  last_row_ = batch->Slice(batch->num_rows() - 1, 1);
  return Status::OK();
}

Status ColumnFilesWriter::CloseFragment() {
  while (file_->num_rows() < rows_->physical_rows()) {
    auto gap = static_cast<int64_t>(rows_->physical_rows() - file_->num_rows());
    ARROW_ASSIGN_OR_RAISE(auto filler,
                          Repeat(last_row_, 0, std::min(gap, kFillRows), context_.pool()));
    ARROW_RETURN_NOT_OK(file_->WriteBatch(filler));
  }
  ARROW_ASSIGN_OR_RAISE(auto fragment,
                        ParseFragment(snapshot_.fragments()[fragments_[next_fragment_]]));
  ARROW_ASSIGN_OR_RAISE(*fragment.add_files(), file_->Finish());
  file_ = nullptr;
  rows_ = nullptr;
  finished_.push_back(std::move(fragment));
  ++next_fragment_;
  return Status::OK();
}

Status ColumnFilesWriter::Write(const std::shared_ptr<arrow::RecordBatch>& batch) {
  ARROW_RETURN_NOT_OK(CheckSound(*batch));
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  // Rows are repeated where others are deleted: in a layout that Arrow can take them from.
  const JsonSource json =
      snapshot_.manifest().has_semantic_types() ? JsonSource::kGiven : JsonSource::kTrusted;
  ARROW_ASSIGN_OR_RAISE(auto prepared,
                        PrepareBatch(schema_, batch, rows_given_, json, context_.pool()));
  rows_given_ += batch->num_rows();
  for (int64_t at = 0; at < batch->num_rows();) {
    ARROW_RETURN_NOT_OK(context_.CheckStop());
    if (file_ == nullptr) ARROW_RETURN_NOT_OK(OpenFragment());
    auto left = static_cast<int64_t>(rows_->live_rows() - live_written_);
    int64_t rows = std::min(left, prepared->num_rows() - at);
    ARROW_RETURN_NOT_OK(WriteRows(prepared->Slice(at, rows)));
    at += rows;
    if (live_written_ == rows_->live_rows()) ARROW_RETURN_NOT_OK(CloseFragment());
  }
  return Status::OK();
}

Result<std::vector<table::DataFragment>> ColumnFilesWriter::Finish() {
  if (file_ == nullptr) ARROW_RETURN_NOT_OK(SkipEmptyFragments());
  if (file_ != nullptr || next_fragment_ < fragments_.size()) {
    return UserError("Stream ended before producing values for all rows in dataset");
  }
  return std::move(finished_);
}

Result<std::vector<table::DataFragment>> ColumnFilesWriter::WriteAll(
    arrow::RecordBatchReader& values) {
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(values.ReadNext(&batch));
    if (batch == nullptr) return Finish();
    ARROW_RETURN_NOT_OK(Write(batch));
  }
}

}  // namespace lance
