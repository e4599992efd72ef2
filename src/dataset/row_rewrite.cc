#include "dataset/row_rewrite.h"

#include <algorithm>

#include "arrow/record_batch.h"
#include "dataset/commit_operation.h"
#include "dataset/delete_rows.h"
#include "dataset/poll.h"
#include "dataset/write_targets.h"
#include "schema/semantic_schema.h"
#include "table/feature_flags.h"
#include "table/row_id_sequence.h"

namespace lance {
namespace {

constexpr uint64_t kMaxRowsPerFile = 1ull << 20;
constexpr uint64_t kMaxBytesPerFile = 90ull << 30;

}  // namespace

RowRewrite::RowRewrite(std::shared_ptr<const Snapshot> snapshot, std::vector<DataFolder> folders,
                       FragmentWriteOptions options, Poll poll)
    : snapshot_(std::move(snapshot)),
      context_(snapshot_->MakeContext()),
      poll_(std::move(poll)),
      writer_(context_, std::move(folders), RewriteSchema(snapshot_->manifest().schema),
              std::move(options)),
      files_(context_) {}

Result<std::unique_ptr<RowRewrite>> RowRewrite::Begin(std::shared_ptr<const Snapshot> snapshot,
                                                      const RowRewriteOptions& rewrite) {
  ARROW_RETURN_NOT_OK(CheckWritable(snapshot->manifest()));
  FragmentWriteOptions options;
  ARROW_ASSIGN_OR_RAISE(options.data.file.version,
                        rewrite.data_storage_version
                            ? ParseFileVersion(*rewrite.data_storage_version)
                            : snapshot->manifest().data_version());
  options.data.blobs = RewriteBlobs(snapshot->manifest().head.base_paths());
  options.max_rows_per_file = kMaxRowsPerFile;
  options.max_bytes_per_file = kMaxBytesPerFile;
  ARROW_ASSIGN_OR_RAISE(auto folders,
                        ChooseFolders(snapshot->uri(), snapshot->table(),
                                      snapshot->manifest().head.base_paths(), rewrite.targets));
  return std::unique_ptr<RowRewrite>(
      new RowRewrite(std::move(snapshot), std::move(folders), std::move(options), rewrite.poll));
}

Status RowRewrite::Move(const std::shared_ptr<arrow::RecordBatch>& rows,
                        std::span<const uint64_t> ids) {
  ARROW_RETURN_NOT_OK(CallPoll(poll_));
  ARROW_RETURN_NOT_OK(writer_.Write(rows));
  if (!snapshot_->manifest().has_stable_row_ids()) return Status::OK();
  moved_ids_.insert(moved_ids_.end(), ids.begin(), ids.end());
  EncodeIdsOfFullFragments();
  return Status::OK();
}

Status RowRewrite::Insert(const std::shared_ptr<arrow::RecordBatch>& rows) {
  ARROW_RETURN_NOT_OK(CallPoll(poll_));
  return writer_.Write(rows);
}

void RowRewrite::EncodeIdsOfFullFragments() {
  const auto& fragments = writer_.fragments();
  while (encoded_ids_.size() < fragments.size() && !moved_ids_.empty()) {
    const auto& fragment = fragments[encoded_ids_.size()];
    size_t rows = std::min<size_t>(moved_ids_.size(), fragment.physical_rows());
    encoded_ids_.push_back(RowIdSequence::FromValues(std::span(moved_ids_).first(rows)).Encode());
    moved_ids_.erase(moved_ids_.begin(), moved_ids_.begin() + static_cast<ptrdiff_t>(rows));
  }
}

Result<Transaction> RowRewrite::Finish(const std::vector<int32_t>& fields) {
  ARROW_RETURN_NOT_OK(writer_.Finish());
  ARROW_ASSIGN_OR_RAISE(auto deletions, DeleteFromFragments(*snapshot_, *deleted_, &files_, poll_));
  EncodeIdsOfFullFragments();
  std::vector<table::DataFragment> written = writer_.fragments();
  for (size_t i = 0; i < encoded_ids_.size(); ++i) written[i].set_inline_row_ids(encoded_ids_[i]);
  Transaction transaction = BeginTransaction(*snapshot_);
  auto* update = transaction.mutable_update();
  update->mutable_removed_fragment_ids()->Add(deletions.removed.begin(), deletions.removed.end());
  update->mutable_updated_fragments()->Add(deletions.updated.begin(), deletions.updated.end());
  update->mutable_new_fragments()->Add(written.begin(), written.end());
  for (int32_t id : fields) {
    update->add_fields_for_preserving_frag_bitmap(static_cast<uint32_t>(id));
  }
  update->set_update_mode(table::Transaction::Update::REWRITE_ROWS);
  return transaction;
}

Result<std::shared_ptr<const Snapshot>> RowRewrite::Commit(Transaction transaction) {
  ARROW_RETURN_NOT_OK(CallPoll(poll_));
  CommitOptions options;
  options.affected_rows = deleted_;
  options.depends_on_all_rows = depends_on_all_rows_;
  auto committed = CommitOperation(*snapshot_, std::move(transaction), &files_, options);
  if (committed.ok() || GetErrorCode(committed.status()) == ErrorCode::kCommitUnknown) Keep();
  return committed;
}

void RowRewrite::Keep() {
  writer_.Keep();
  files_.Keep();
}

}  // namespace lance
