#include "dataset/compact.h"

#include <algorithm>

#include "arrow/api.h"
#include "dataset/blob_columns.h"
#include "dataset/commit_operation.h"
#include "dataset/compacted_lineage.h"
#include "dataset/compaction_plan.h"
#include "dataset/data_file_writer.h"
#include "dataset/open_table.h"
#include "dataset/poll.h"
#include "dataset/scan.h"
#include "proto/parse.h"
#include "schema/semantic_schema.h"
#include "table/feature_flags.h"

namespace lance {
namespace {

/// What the blobs of one batch may take.
constexpr uint64_t kBlobBatchBytes = 64 << 20;
constexpr uint64_t kBlobBatchRows = 8192;

using RewriteGroup = table::Transaction::Rewrite::RewriteGroup;

/// Writes rows into files of equal size; the first ones get a row more where it doesn't come out.
class EvenWriter {
 public:
  EvenWriter(const Snapshot& snapshot, const CompactionOptions& options, FileVersion version,
             uint64_t rows, NewFiles* files)
      : snapshot_(snapshot),
        context_(snapshot.MakeContext()),
        schema_(RewriteSchema(snapshot.manifest().schema)),
        options_(options),
        files_(files) {
    file_options_.file.version = version;
    file_options_.blobs = RewriteBlobs(snapshot.manifest().head.base_paths());
    uint64_t count = std::max<uint64_t>(rows / options.target_rows_per_fragment, 1);
    rows_per_file_ = rows / count;
    larger_files_ = rows % count;
  }

  Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) {
    for (int64_t at = 0; at < batch->num_rows();) {
      ARROW_RETURN_NOT_OK(context_.CheckStop());
      if (file_ == nullptr) {
        ARROW_ASSIGN_OR_RAISE(
            file_, DataFileWriter::Open(context_, OwnDataFolder(snapshot_.table()), schema_,
                                        file_options_, files_));
        quota_ = rows_per_file_ + (fragments_.size() < larger_files_ ? 1 : 0);
      }
      auto room = static_cast<int64_t>(quota_ - file_->num_rows());
      int64_t rows = std::min(room, batch->num_rows() - at);
      ARROW_RETURN_NOT_OK(file_->WriteBatch(batch->Slice(at, rows)));
      at += rows;
      bool full =
          file_->num_rows() == quota_ || file_->estimated_bytes() >= options_.max_bytes_per_file;
      if (full) ARROW_RETURN_NOT_OK(CloseFile());
    }
    return Status::OK();
  }

  Result<std::vector<table::DataFragment>> Finish() {
    if (file_ != nullptr) ARROW_RETURN_NOT_OK(CloseFile());
    return std::move(fragments_);
  }

 private:
  Status CloseFile() {
    ARROW_ASSIGN_OR_RAISE(auto fragment, file_->FinishFragment());
    file_.reset();
    fragments_.push_back(std::move(fragment));
    return Status::OK();
  }

  const Snapshot& snapshot_;
  Context context_;
  const Schema schema_;
  const CompactionOptions& options_;
  DataFileOptions file_options_;
  NewFiles* files_;
  uint64_t rows_per_file_ = 0;
  uint64_t larger_files_ = 0;
  uint64_t quota_ = 0;
  std::unique_ptr<DataFileWriter> file_;
  std::vector<table::DataFragment> fragments_;
};

Result<FileVersion> ChooseVersion(const Snapshot& snapshot, const CompactionOptions& options) {
  if (options.data_storage_version) return ParseFileVersion(*options.data_storage_version);
  return snapshot.manifest().data_version();
}

Result<uint64_t> CountLiveRows(const Snapshot& snapshot, const CompactionTask& task) {
  ARROW_ASSIGN_OR_RAISE(auto counts, snapshot.Counts());
  uint64_t rows = 0;
  for (uint64_t id : task.fragment_ids) {
    ARROW_ASSIGN_OR_RAISE(size_t index, snapshot.FindFragment(id));
    rows += counts->of_fragment(index);
  }
  return rows;
}

std::vector<std::string> BlobColumnsOf(const Schema& schema) {
  std::vector<std::string> names;
  for (const Field& field : schema.fields) {
    if (HasAnyBlobs(field)) names.push_back(field.name);
  }
  return names;
}

/// Rows whose blobs take kBlobBatchBytes, on the average.
Result<uint64_t> RowsOfBlobBatch(const std::shared_ptr<const Snapshot>& snapshot,
                                 const CompactionTask& task, std::vector<std::string> columns) {
  ScanOptions options;
  options.columns = std::move(columns);
  options.fragments = task.fragment_ids;
  ARROW_ASSIGN_OR_RAISE(auto described, snapshot->Select({.columns = options.columns}));
  ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(snapshot, options));
  uint64_t bytes = 0;
  uint64_t rows = 0;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(scan->ReadNext(&batch));
    if (batch == nullptr) break;
    rows += static_cast<uint64_t>(batch->num_rows());
    for (int i = 0; i < batch->num_columns(); ++i) {
      bytes +=
          DescribedBytes(described->data.fields[static_cast<size_t>(i)], *batch->column_data(i));
    }
  }
  const uint64_t average = bytes / std::max<uint64_t>(rows, 1) + 1;
  return std::clamp<uint64_t>(kBlobBatchBytes / average, 1, kBlobBatchRows);
}

template <typename Fragments>
uint64_t CountFiles(const Fragments& fragments) {
  uint64_t files = 0;
  for (const auto& fragment : fragments) {
    files += static_cast<uint64_t>(fragment.files_size()) + (fragment.has_deletion_file() ? 1 : 0);
  }
  return files;
}

Result<RewriteGroup> DecodeGroup(const CompactionResult& result) {
  RewriteGroup group;
  if (!ParseMessage(result.group, &group)) {
    return UserError("result of a compaction task is damaged");
  }
  return group;
}

/// A version that keeps `count` fragment ids for us: the last ones below its limit.
Result<std::shared_ptr<const Snapshot>> Reserve(const Snapshot& snapshot, size_t count) {
  Transaction transaction = BeginTransaction(snapshot);
  transaction.mutable_reserve_fragments()->set_num_fragments(static_cast<uint32_t>(count));
  return CommitOperation(snapshot, std::move(transaction));
}

/// `files` gets the files that are written.
Result<CompactionResult> RunTask(const std::shared_ptr<const Snapshot>& snapshot,
                                 const CompactionTask& task, const CompactionOptions& options,
                                 const Poll& poll, NewFiles* files) {
  ARROW_ASSIGN_OR_RAISE(uint64_t rows, CountLiveRows(*snapshot, task));
  ARROW_ASSIGN_OR_RAISE(FileVersion version, ChooseVersion(*snapshot, options));
  EvenWriter writer(*snapshot, options, version, rows, files);
  ScanOptions scan_options;
  scan_options.batch_size = options.batch_size;
  scan_options.fragments = task.fragment_ids;
  scan_options.output_encodings = WidestEncodings(snapshot->manifest().schema);
  if (auto blobs = BlobColumnsOf(snapshot->manifest().schema); !blobs.empty()) {
    scan_options.blob_handling = BlobHandling::kValues;
    ARROW_ASSIGN_OR_RAISE(uint64_t fitting, RowsOfBlobBatch(snapshot, task, std::move(blobs)));
    scan_options.batch_size = std::min(fitting, options.batch_size.value_or(fitting));
  }
  ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(snapshot, scan_options));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(scan->ReadNext(&batch));
    if (batch == nullptr) break;
    ARROW_RETURN_NOT_OK(CallPoll(poll));
    ARROW_RETURN_NOT_OK(writer.Write(batch));
  }
  ARROW_ASSIGN_OR_RAISE(auto fragments, writer.Finish());
  if (snapshot->manifest().has_stable_row_ids()) {
    ARROW_ASSIGN_OR_RAISE(auto lineage, CompactedLineage::Read(snapshot, task.fragment_ids));
    lineage.SetOn(&fragments);
  }
  RewriteGroup group;
  for (uint64_t id : task.fragment_ids) {
    ARROW_ASSIGN_OR_RAISE(size_t index, snapshot->FindFragment(id));
    ARROW_ASSIGN_OR_RAISE(*group.add_old_fragments(), ParseFragment(snapshot->fragments()[index]));
  }
  group.mutable_new_fragments()->Add(fragments.begin(), fragments.end());
  CompactionResult result;
  result.read_version = snapshot->manifest().version();
  result.metrics.fragments_removed = task.fragment_ids.size();
  result.metrics.fragments_added = fragments.size();
  result.metrics.files_removed = CountFiles(group.old_fragments());
  result.metrics.files_added = CountFiles(group.new_fragments());
  result.group = group.SerializeAsString();
  return result;
}

void Add(const CompactionMetrics& metrics, CompactionMetrics* sum) {
  sum->fragments_removed += metrics.fragments_removed;
  sum->fragments_added += metrics.fragments_added;
  sum->files_removed += metrics.files_removed;
  sum->files_added += metrics.files_added;
}

}  // namespace

Result<CompactionResult> RunCompactionTask(const std::shared_ptr<const Snapshot>& snapshot,
                                           const CompactionTask& task,
                                           const CompactionOptions& options, const Poll& poll) {
  ARROW_RETURN_NOT_OK(CheckWritable(snapshot->manifest()));
  NewFiles files(snapshot->MakeContext());
  ARROW_ASSIGN_OR_RAISE(CompactionResult result, RunTask(snapshot, task, options, poll, &files));
  files.Keep();
  return result;
}

Result<std::pair<std::shared_ptr<const Snapshot>, CompactionMetrics>> Compact(
    const std::shared_ptr<const Snapshot>& snapshot, const CompactionOptions& options,
    const Poll& poll) {
  ARROW_ASSIGN_OR_RAISE(CompactionPlan plan, PlanCompaction(*snapshot, options));
  NewFiles files(snapshot->MakeContext());
  std::vector<CompactionResult> results;
  CompactionMetrics metrics;
  for (const CompactionTask& task : plan.tasks) {
    ARROW_ASSIGN_OR_RAISE(results.emplace_back(), RunTask(snapshot, task, options, poll, &files));
    Add(results.back().metrics, &metrics);
  }
  auto compacted = CommitCompaction(snapshot, results);
  if (compacted.ok() || GetErrorCode(compacted.status()) == ErrorCode::kCommitUnknown) {
    files.Keep();
  }
  ARROW_ASSIGN_OR_RAISE(auto committed, std::move(compacted));
  return std::pair(std::move(committed), metrics);
}

Result<std::shared_ptr<const Snapshot>> CommitCompaction(
    std::shared_ptr<const Snapshot> snapshot, std::span<const CompactionResult> results) {
  if (results.empty()) return snapshot;
  uint64_t read_version = snapshot->manifest().version();
  size_t count = 0;
  std::vector<RewriteGroup> groups;
  for (const CompactionResult& result : results) {
    read_version = std::min(read_version, result.read_version);
    ARROW_ASSIGN_OR_RAISE(groups.emplace_back(), DecodeGroup(result));
    count += static_cast<size_t>(groups.back().new_fragments_size());
  }
  auto read = snapshot;
  if (read_version != snapshot->manifest().version()) {
    ARROW_ASSIGN_OR_RAISE(read, HandleOf(*snapshot).OpenVersion(read_version));
  }
  if (count > 0) {
    ARROW_ASSIGN_OR_RAISE(auto reserved, Reserve(*snapshot, count));
    uint64_t next_id = uint64_t{reserved->manifest().head.max_fragment_id()} + 1 - count;
    for (auto& group : groups) {
      for (auto& fragment : *group.mutable_new_fragments()) fragment.set_id(next_id++);
    }
  }
  Transaction transaction = BeginTransaction(*read);
  transaction.mutable_rewrite()->mutable_groups()->Add(groups.begin(), groups.end());
  // The files stay when this fails: the caller has the results still, and may try again.
  return CommitOperation(*read, std::move(transaction));
}

}  // namespace lance
