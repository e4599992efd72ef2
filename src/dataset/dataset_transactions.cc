// The verbs of Dataset by which changes are made in pieces elsewhere and committed here.
#include "arrow/api.h"
#include "dataset/dataset_impl.h"
#include "dataset/delete_rows.h"
#include "dataset/external_commit.h"
#include "dataset/field_messages.h"
#include "dataset/fragment_columns.h"
#include "dataset/open_table.h"
#include "dataset/update_fragment.h"
#include "dataset/write_table.h"
#include "table/transaction.h"

namespace lance {
namespace {

using Widened = std::pair<std::string, std::vector<std::string>>;

arrow::Result<Widened> Serialize(Result<WidenedFragment> widened) {
  ARROW_RETURN_NOT_OK(widened.status());
  return Widened(widened->fragment.SerializeAsString(), FieldMessages(widened->schema));
}

}  // namespace

arrow::Result<std::string> Dataset::WriteUncommitted(
    const std::string& uri, const std::shared_ptr<arrow::RecordBatchReader>& data,
    const WriteOptions& options) {
  ARROW_ASSIGN_OR_RAISE(auto handle, TableHandle::Make(uri));
  ARROW_ASSIGN_OR_RAISE(auto transaction, lance::WriteUncommitted(handle, data, options));
  return transaction.SerializeAsString();
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::Commit(const std::string& uri,
                                                        const std::string& transaction,
                                                        const CommitTransactionOptions& options) {
  ARROW_ASSIGN_OR_RAISE(auto handle, TableHandle::Make(uri));
  ARROW_ASSIGN_OR_RAISE(auto decoded, DecodeTransaction(AsBytes(transaction)));
  return From(CommitExternal(handle, std::move(decoded), options));
}

arrow::Status Dataset::Drop(const std::string& uri) {
  ARROW_ASSIGN_OR_RAISE(auto handle, TableHandle::Make(uri));
  Context context = handle.session->MakeContext();
  ARROW_ASSIGN_OR_RAISE(auto latest,
                        FindLatestVersion(context, *handle.table.store, handle.table.root));
  if (!latest) return NotFound("Dataset at path ", handle.table.root, " was not found");
  return handle.table.store->DeleteFolder(context, handle.table.root);
}

arrow::Result<std::string> Dataset::ReadTransaction(uint64_t version) const {
  const Snapshot& own = *impl_->snapshot;
  ARROW_ASSIGN_OR_RAISE(auto snapshot, HandleOf(own).OpenVersion(version));
  ARROW_ASSIGN_OR_RAISE(
      auto bytes, ReadTransactionBytes(own.MakeContext(), snapshot->table(), *snapshot->file()));
  if (!bytes) return NotFound("version ", version, " has no transaction");
  return *std::move(bytes);
}

arrow::Result<std::string> Dataset::SerializedFragment(uint64_t fragment_id) const {
  ARROW_ASSIGN_OR_RAISE(size_t index, impl_->snapshot->FindFragment(fragment_id));
  return std::string(AsText(impl_->snapshot->fragments()[index].bytes));
}

std::vector<std::string> Dataset::SerializedFields() const {
  return FieldMessages(impl_->manifest().schema);
}

arrow::Result<std::optional<std::string>> Dataset::DeleteFromFragment(
    uint64_t fragment_id, std::span<const uint64_t> offsets) const {
  const Snapshot& snapshot = *impl_->snapshot;
  ARROW_ASSIGN_OR_RAISE(size_t index, snapshot.FindFragment(fragment_id));
  RoaringBitmap deleted;
  for (uint64_t offset : offsets) {
    if (offset >= snapshot.fragments()[index].physical_rows) {
      return UserError("row ", offset, " is not in fragment ", fragment_id);
    }
    deleted.add(static_cast<uint32_t>(offset));
  }
  NewFiles files(snapshot.MakeContext());
  ARROW_ASSIGN_OR_RAISE(auto fragment, DeleteOffsets(snapshot, fragment_id, deleted, &files));
  files.Keep();
  if (!fragment) return std::nullopt;
  return fragment->SerializeAsString();
}

arrow::Result<Widened> Dataset::AddColumnsToFragment(
    uint64_t fragment_id, const std::shared_ptr<arrow::RecordBatchReader>& values) const {
  return Serialize(AddFragmentColumns(*impl_->snapshot, fragment_id, values));
}

arrow::Result<Widened> Dataset::MergeIntoFragment(
    uint64_t fragment_id, const std::shared_ptr<arrow::RecordBatchReader>& right,
    const std::string& left_on, const std::string& right_on) const {
  return Serialize(MergeFragmentColumns(impl_->snapshot, fragment_id, right, left_on, right_on));
}

arrow::Result<UpdatedColumns> Dataset::UpdateFragmentColumns(
    uint64_t fragment_id, const std::shared_ptr<arrow::RecordBatchReader>& right,
    const std::string& left_on, const std::string& right_on) const {
  return lance::UpdateFragmentColumns(impl_->snapshot, fragment_id, right, left_on, right_on);
}

}  // namespace lance
