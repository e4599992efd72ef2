#pragma once

#include <cstdint>
#include <optional>
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
  /// Of a Merge that gives all fragments row ids: the table has them from this version on.
  bool migrates_row_ids = false;
  /// The table has semantic types from this version on; later ones inherit it.
  bool semantic_types = false;
  /// Of a detached version; others get the number after the newest one.
  std::optional<uint64_t> version = {};
};

/// The versions that a new one is built from, each with its serialized index section.
struct ApplyInput {
  /// Null for a new table.
  const Manifest* newest = nullptr;
  std::optional<std::string> index_section = {};
  /// Of a Restore the version to go back to, of a Clone the one that is cloned.
  const Manifest* source = nullptr;
  std::optional<std::string> source_index_section = {};
};

struct NewVersion {
  Manifest manifest;
  std::optional<std::string> index_section;
};

/// Builds the next version from the newest one and a transaction that has been rebased onto it.
/// Fragment ids, row ids, row versions, limits and feature flags are assigned here, anew at every
/// attempt of a commit. Pure.
Result<NewVersion> Apply(const ApplyInput& input, const Transaction& transaction,
                         const ApplyOptions& options);

}  // namespace lance
