#include "dataset/external_commit.h"

#include "dataset/auto_cleanup.h"
#include "table/commit.h"
#include "table/unique_names.h"

namespace lance {
namespace {

/// The version that files of an Overwrite have; the table's own if it has none.
Result<FileVersion> VersionOfFiles(const table::Transaction::Overwrite& overwrite,
                                   FileVersion otherwise) {
  for (const auto& fragment : overwrite.fragments()) {
    if (fragment.files_size() == 0) continue;
    return FileVersionFromNumbers(fragment.files(0).file_major_version(),
                                  fragment.files(0).file_minor_version());
  }
  return otherwise;
}

/// The version that the transaction was made from; null for a new table.
Result<std::shared_ptr<const Snapshot>> ReadVersionOf(const TableHandle& handle,
                                                      const Transaction& transaction) {
  if (transaction.read_version() == 0) {
    ARROW_ASSIGN_OR_RAISE(auto newest, handle.OpenNewestIfAny());
    if (newest == nullptr && transaction.has_overwrite()) return nullptr;
    if (newest == nullptr) return handle.OpenNewest();  // says that there is none
    return newest;
  }
  return handle.OpenVersion(transaction.read_version());
}

}  // namespace

Result<std::shared_ptr<const Snapshot>> CommitExternal(const TableHandle& handle,
                                                       Transaction transaction,
                                                       const CommitTransactionOptions& options) {
  if (transaction.has_clone()) {
    return UserError("a clone can't be committed; clone the table instead");
  }
  if (transaction.uuid().empty()) transaction.set_uuid(MakeUuid());
  ARROW_ASSIGN_OR_RAISE(auto read, ReadVersionOf(handle, transaction));
  if (read != nullptr && options.semantic_types &&
      *options.semantic_types != read->manifest().has_semantic_types()) {
    return UserError(
        "a table keeps or lacks semantic types as it is: leave semantic_types out, or "
        "upgrade it");
  }
  CommitOptions commit;
  commit.naming = options.enable_v2_manifest_paths ? ManifestNaming::kV2 : ManifestNaming::kV1;
  commit.apply.stable_row_ids = options.enable_stable_row_ids;
  commit.apply.semantic_types = read == nullptr && options.semantic_types.value_or(false);
  commit.detached = options.detached;
  commit.max_attempts = options.max_retries;
  if (read != nullptr) {
    ARROW_ASSIGN_OR_RAISE(commit.apply.data_version, read->manifest().data_version());
    transaction.set_read_version(read->manifest().version());
  }
  if (transaction.has_overwrite()) {
    ARROW_ASSIGN_OR_RAISE(commit.apply.data_version,
                          VersionOfFiles(transaction.overwrite(), commit.apply.data_version));
  }
  ARROW_ASSIGN_OR_RAISE(
      auto committed,
      CommitTransaction(handle.session->MakeContext(), handle.table,
                        read != nullptr ? read->file() : nullptr, std::move(transaction), commit));
  ARROW_ASSIGN_OR_RAISE(auto snapshot, handle.Open(std::move(committed)));
  if (!options.detached) CleanUpAfterCommit(*snapshot);
  return snapshot;
}

}  // namespace lance
