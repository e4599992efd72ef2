#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "dataset/fragment_writer.h"
#include "dataset/new_files.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"
#include "table/row_address_set.h"
#include "table/transaction.h"

namespace lance {

struct RowRewriteOptions {
  /// Of the new files; default the table's.
  std::optional<std::string> data_storage_version = {};
  /// Where they go.
  WriteTargets targets = {};
  Poll poll = {};
};

/// One Update of a table: rows written anew and deleted where they were, then new rows, and other
/// rows deleted. Unless it is committed or Keep() is called, all files are deleted with this
/// object.
class RowRewrite {
 public:
  static Result<std::unique_ptr<RowRewrite>> Begin(std::shared_ptr<const Snapshot> snapshot,
                                                   const RowRewriteOptions& options);

  /// Rows of the table with new values; `ids` are their `_rowid`s, which they keep if they are
  /// stable. Where they were is told to Delete().
  Status Move(const std::shared_ptr<arrow::RecordBatch>& rows, std::span<const uint64_t> ids);
  /// New rows, after all that are moved.
  Status Insert(const std::shared_ptr<arrow::RecordBatch>& rows);
  void Delete(RowAddress address) { deleted_->Add(address); }
  /// More rows to be deleted.
  RowAddressSet* deleted() { return deleted_.get(); }

  /// For other files of the Update.
  NewFiles* files() { return &files_; }

  /// Rows that others add meanwhile would change what is done here.
  void DependOnAllRows() { depends_on_all_rows_ = true; }

  /// Ends the files and makes the transaction; `fields` are the ids of those with new values.
  Result<Transaction> Finish(const std::vector<int32_t>& fields);
  /// RetryableConflict when another writer has changed one of the rows.
  Result<std::shared_ptr<const Snapshot>> Commit(Transaction transaction);
  void Keep();

 private:
  RowRewrite(std::shared_ptr<const Snapshot> snapshot, std::vector<DataFolder> folders,
             FragmentWriteOptions options, Poll poll);

  /// The ids of moved rows go with them; rows behind those get new ones when this is committed.
  void EncodeIdsOfFullFragments();

  std::shared_ptr<const Snapshot> snapshot_;
  Context context_;
  Poll poll_;
  FragmentWriter writer_;
  NewFiles files_;
  // Of moved rows, where row ids are stable: of each fragment that has ended, and those left.
  std::vector<std::string> encoded_ids_;
  std::vector<uint64_t> moved_ids_;
  bool depends_on_all_rows_ = false;
  std::shared_ptr<RowAddressSet> deleted_ = std::make_shared<RowAddressSet>();
};

}  // namespace lance
