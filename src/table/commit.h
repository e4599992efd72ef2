#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/context.h"
#include "base/error.h"
#include "table/apply.h"
#include "table/manifest_file.h"
#include "table/row_address_set.h"
#include "table/table_paths.h"
#include "table/transaction.h"

namespace lance {

struct CommitOptions {
  ApplyOptions apply;
  /// Of a new table; others keep theirs.
  ManifestNaming naming = ManifestNaming::kV2;
  /// 0 with an Overwrite: no rebase; any version newer than the one read is a conflict.
  uint32_t max_attempts = 20;
  /// After the first attempt, no new one starts later than this.
  std::chrono::nanoseconds retry_time = std::chrono::seconds(30);
  /// Of a Delete or Update: the rows that it deletes or moves, for merging with other deletions.
  std::shared_ptr<const RowAddressSet> affected_rows = {};
  /// Of an Update that depends on there being no other rows, such as one that deletes all rows but
  /// those of a source: any rows added meanwhile are a conflict.
  bool depends_on_all_rows = false;
  /// Commits outside of the history: on top of the version read, whatever came after it.
  bool detached = false;
  /// Of a Clone: the version that is cloned, with its index section.
  std::shared_ptr<const ManifestFile> source = {};
  std::optional<std::string> source_index_section = {};
};

/// Commits a transaction: writes `_transactions/{read version}-{uuid}.txn`, then creates the next
/// manifest with put-if-absent, rebasing and trying again while other writers come first. An answer
/// that leaves open whether the manifest was created is settled by reading it back.
///
/// `read` is the version that the transaction was made from, null to create a table. On failure no
/// manifest and no transaction file stays behind, and the caller may delete the data files, except
/// when the code is CommitUnknown: then nothing may be deleted.
Result<std::shared_ptr<const ManifestFile>> CommitTransaction(
    const Context& context, const TableLocation& table,
    const std::shared_ptr<const ManifestFile>& read, Transaction transaction,
    const CommitOptions& options);

}  // namespace lance
