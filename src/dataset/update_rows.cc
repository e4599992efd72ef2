#include "dataset/update_rows.h"

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "base/compute_kernels.h"
#include "dataset/commit_operation.h"
#include "dataset/delete_rows.h"
#include "dataset/fragment_writer.h"
#include "dataset/scan.h"
#include "dataset/select_rows.h"
#include "query/expr/binder.h"
#include "query/expr/evaluate.h"
#include "table/feature_flags.h"
#include "table/row_id_sequence.h"

namespace lance {
namespace {

constexpr char kRowId[] = "_rowid";
constexpr char kRowAddress[] = "_rowaddr";
constexpr uint64_t kMaxRowsPerFile = 1ull << 20;
constexpr uint64_t kMaxBytesPerFile = 90ull << 30;

/// A column and the expression that it is set to.
struct Assignment {
  int column = 0;
  query::ExprPtr value;
};

class Updater {
 public:
  explicit Updater(std::shared_ptr<const Snapshot> snapshot)
      : snapshot_(std::move(snapshot)), context_(snapshot_->MakeContext()) {}

  Status Bind(const std::map<std::string, std::string>& updates,
              const std::optional<std::string>& where) {
    ARROW_RETURN_NOT_OK(InitializeComputeKernels());
    ARROW_ASSIGN_OR_RAISE(schema_, snapshot_->manifest().schema.ToArrow());
    if (updates.empty()) return UserError("update needs at least one column to set");
    for (const auto& [name, sql] : updates) {
      int column = schema_->GetFieldIndex(name);
      if (column < 0) return UserError("Column ", name, " does not exist in the dataset");
      ARROW_ASSIGN_OR_RAISE(auto value, query::BindSql(sql, *schema_));
      assignments_.push_back({column, std::move(value)});
    }
    if (!where) return Status::OK();
    return query::BindSqlFilter(*where, *schema_).Value(&where_);
  }

  Result<UpdatedRows> Run() {
    ARROW_RETURN_NOT_OK(CheckWritable(snapshot_->manifest()));
    FragmentWriteOptions options;
    ARROW_ASSIGN_OR_RAISE(options.data.file.version, snapshot_->manifest().data_version());
    options.data.blobs = RewriteBlobs(snapshot_->manifest());
    options.max_rows_per_file = kMaxRowsPerFile;
    options.max_bytes_per_file = kMaxBytesPerFile;
    FragmentWriter writer(context_, snapshot_->table(), snapshot_->manifest().schema, options);
    ARROW_RETURN_NOT_OK(WriteUpdated(&writer));
    ARROW_RETURN_NOT_OK(writer.Finish());
    NewFiles files(context_, snapshot_->table().store);
    ARROW_ASSIGN_OR_RAISE(auto deletions, DeleteFromFragments(*snapshot_, *moved_, &files));
    CommitOptions commit;
    commit.affected_rows = moved_;
    auto committed =
        CommitOperation(*snapshot_, MakeTransaction(deletions, writer.fragments()), &files, commit);
    if (committed.ok() || GetErrorCode(committed.status()) == ErrorCode::kCommitUnknown) {
      writer.Keep();
    }
    ARROW_RETURN_NOT_OK(committed.status());
    return UpdatedRows{*std::move(committed), moved_->size()};
  }

 private:
  Status WriteUpdated(FragmentWriter* writer) {
    ScanOptions options;
    options.columns = schema_->field_names();
    options.columns->emplace_back(kRowId);
    options.columns->emplace_back(kRowAddress);
    options.blob_handling = BlobHandling::kValues;
    ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(snapshot_, options));
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(scan->ReadNext(&batch));
      if (batch == nullptr) return Status::OK();
      ARROW_ASSIGN_OR_RAISE(batch, Matching(batch));
      if (batch->num_rows() == 0) continue;
      ARROW_ASSIGN_OR_RAISE(auto updated, Update(TakeNumbers(batch)));
      ARROW_RETURN_NOT_OK(writer->Write(updated));
    }
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Matching(
      const std::shared_ptr<arrow::RecordBatch>& batch) const {
    if (where_ == nullptr) return batch;
    ARROW_ASSIGN_OR_RAISE(auto rows,
                          query::MatchingRows(*where_, *WithoutNumbers(batch), context_.pool()));
    auto indices = std::make_shared<arrow::Int64Array>(static_cast<int64_t>(rows.size()),
                                                       arrow::Buffer::Wrap(rows));
    ARROW_ASSIGN_OR_RAISE(
        auto taken, arrow::compute::Take(batch, std::shared_ptr<arrow::Array>(std::move(indices))));
    return taken.record_batch();
  }

  /// The batch as the expressions are bound to it.
  std::shared_ptr<arrow::RecordBatch> WithoutNumbers(
      const std::shared_ptr<arrow::RecordBatch>& batch) const {
    auto columns = batch->columns();
    columns.resize(static_cast<size_t>(schema_->num_fields()));
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
  }

  /// Notes the ids and addresses of rows that are moved.
  std::shared_ptr<arrow::RecordBatch> TakeNumbers(
      const std::shared_ptr<arrow::RecordBatch>& batch) {
    int ids = schema_->num_fields();
    const auto& row_ids = static_cast<const arrow::UInt64Array&>(*batch->column(ids));
    const auto& addresses = static_cast<const arrow::UInt64Array&>(*batch->column(ids + 1));
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      row_ids_.push_back(row_ids.Value(i));
      moved_->Add(RowAddress{addresses.Value(i)});
    }
    return WithoutNumbers(batch);
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Update(
      const std::shared_ptr<arrow::RecordBatch>& batch) const {
    auto columns = batch->columns();
    arrow::compute::ExecContext exec(context_.pool());
    for (const Assignment& assignment : assignments_) {
      ARROW_ASSIGN_OR_RAISE(auto value,
                            query::Evaluate(*assignment.value, *batch, context_.pool()));
      const auto& field = schema_->field(assignment.column);
      if (!value->type()->Equals(field->type())) {
        auto cast =
            arrow::compute::Cast(value, field->type(), arrow::compute::CastOptions::Safe(), &exec);
        if (!cast.ok()) {
          return UserError("the value for column '", field->name(), "' of type ",
                           value->type()->ToString(), " can't become ", field->type()->ToString(),
                           ": ", cast.status().message());
        }
        value = cast->make_array();
      }
      columns[static_cast<size_t>(assignment.column)] = std::move(value);
    }
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
  }

  Transaction MakeTransaction(const FragmentDeletions& deletions,
                              std::vector<table::DataFragment> written) const {
    if (snapshot_->manifest().has_stable_row_ids()) {
      size_t first = 0;
      for (auto& fragment : written) {
        auto ids = std::span(row_ids_).subspan(first, fragment.physical_rows());
        fragment.set_inline_row_ids(RowIdSequence::FromValues(ids).Encode());
        first += fragment.physical_rows();
      }
    }
    Transaction transaction = BeginTransaction(*snapshot_);
    auto* update = transaction.mutable_update();
    update->mutable_removed_fragment_ids()->Add(deletions.removed.begin(), deletions.removed.end());
    update->mutable_updated_fragments()->Add(deletions.updated.begin(), deletions.updated.end());
    update->mutable_new_fragments()->Add(written.begin(), written.end());
    for (const Assignment& assignment : assignments_) {
      const Field& field =
          snapshot_->manifest().schema.fields[static_cast<size_t>(assignment.column)];
      update->add_fields_for_preserving_frag_bitmap(static_cast<uint32_t>(field.id));
    }
    update->set_update_mode(table::Transaction::Update::REWRITE_ROWS);
    return transaction;
  }

  std::shared_ptr<const Snapshot> snapshot_;
  Context context_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<Assignment> assignments_;
  query::ExprPtr where_;
  std::vector<uint64_t> row_ids_;
  std::shared_ptr<RowAddressSet> moved_ = std::make_shared<RowAddressSet>();
};

}  // namespace

Result<UpdatedRows> UpdateRows(std::shared_ptr<const Snapshot> snapshot,
                               const std::map<std::string, std::string>& updates,
                               const std::optional<std::string>& where) {
  Updater updater(std::move(snapshot));
  ARROW_RETURN_NOT_OK(updater.Bind(updates, where));
  return updater.Run();
}

}  // namespace lance
