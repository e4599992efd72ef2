#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "base/error.h"
#include "table/manifest.h"
#include "table/row_address_set.h"
#include "table/transaction.h"

namespace lance {

enum class Verdict : uint8_t { kCompatible, kRetry, kIncompatible };

/// Our side of a conflict.
struct RebaseSubject {
  const Transaction& transaction;
  /// The version that it was made from; may be null when that isn't known.
  const Manifest* read = nullptr;
  /// The rows that it deletes or moves; null: unknown.
  const RowAddressSet* affected_rows = nullptr;
  /// The version that theirs was applied to; null: unknown.
  const Manifest* before_theirs = nullptr;
  /// Whether rows added meanwhile would have changed what it does.
  bool depends_on_all_rows = false;
};

/// The checks that come before the matrix, whichever side is ours: n (values against a schema
/// change that may tighten nullability) and s (metadata against a new or restored schema).
Verdict JudgeBeforeMatrix(const Transaction& ours, const Transaction& theirs);

/// Stricter than the matrix: rows appended to a column that was cast meanwhile would lose their
/// values, since the column has another field id now; and a new column may have got the id of one
/// that was dropped.
Verdict JudgeAppendedColumns(const RebaseSubject& ours, const Transaction& theirs);

/// Stricter than the matrix likewise.
Verdict JudgeAddedRows(const RebaseSubject& ours, const Transaction& theirs);

/// Decides a cell of the matrix. Fragments of which only the deletion files must be merged are
/// added to `shared_fragments`.
Result<Verdict> JudgeCell(std::string_view cell, const RebaseSubject& ours,
                          const Transaction& theirs, std::set<uint64_t>* shared_fragments);

}  // namespace lance
