#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "file/version.h"
#include "table/manifest.h"
#include "table/transaction.h"

namespace lance {

/// What a new version takes from outside the transaction.
struct ApplyOptions {
  int64_t timestamp_ns = 0;
  /// File name inside `_transactions`.
  std::string transaction_file;
  /// Of an Overwrite: the version of its data files, for the manifest's data_format.
  FileVersion data_version = kDefaultFileVersion;
  /// Of the first version of a table; later ones inherit it.
  bool stable_row_ids = false;
};

/// Builds the next version from the newest one (null for a new table) and a transaction that has
/// been rebased onto it. Fragment ids, row ids, row versions, limits and feature flags are assigned
/// here, anew at every attempt of a commit. Pure. The transaction is an Append or an Overwrite.
Result<Manifest> Apply(const Manifest* newest, const Transaction& transaction,
                       const ApplyOptions& options);

/// Whether the new version keeps the index section of the one that it builds on.
bool KeepsIndexes(const Transaction& transaction);

}  // namespace lance
