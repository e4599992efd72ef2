#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "table/transaction.h"

namespace lance {

/// Kinds of operations, in the order of the conflict matrix.
enum class OperationKind : uint8_t {
  kAppend,
  kDelete,
  kOverwrite,
  kCreateIndex,
  kRewrite,
  kMerge,
  kRestore,
  kReserveFragments,
  kUpdate,
  kProject,
  kUpdateConfig,
  kDataReplacement,
  kUpdateMemWalState,
  kClone,
  kUpdateBases,
  kDataOverlay,
  kUnknown,
};
constexpr size_t kKnownOperations = static_cast<size_t>(OperationKind::kUnknown);

OperationKind KindOf(const Transaction& transaction);

/// What happens when the operation of a row is committed after the one of a column
/// (spec/table-format.md §7.5): `.` compatible, `R` to be done anew from the new version, `X`
/// never; letters name conditions, each of which may turn out either way.
constexpr std::array<std::array<std::string_view, kKnownOperations>, kKnownOperations>
    kConflictMatrix = {{
        // clang-format off
 // App  Del   Ovw    CIdx  Rewr Merge Rest Resv  Upd    Proj   UCfg   DRep MWal Clone UBase Ovl
  {".", ".",  "X",   ".",  ".", "n",  "X", ".",  ".",   "n",   ".",   ".", "X", ".", ".", "."},   // Append
  {".", "d",  "X",   ".",  "f", "R",  "X", ".",  "d",   ".",   ".",   "f", "X", ".", ".", "."},   // Delete
  {".", ".",  "o",   ".",  ".", ".",  ".", ".",  ".",   ".",   "k",   ".", "X", ".", ".", "."},   // Overwrite
  {".", ".",  "X",   "i",  "w", "m",  "X", ".",  "p",   ".",   ".",   "c", "q", ".", ".", "."},   // CreateIndex
  {".", "f",  "X",   "x",  "g", "R",  "X", ".",  "f",   ".",   ".",   "f", ".", ".", ".", "f"},   // Rewrite
  {"R", "R",  "X",   "m",  "R", "R",  "X", ".",  "R",   "X",   "s",   "R", "X", ".", ".", "R"},   // Merge
  {".", ".",  ".",   ".",  ".", ".",  ".", ".",  ".",   ".",   "s",   ".", "X", ".", ".", "."},   // Restore
  {".", ".",  "X",   ".",  ".", ".",  "X", ".",  ".",   ".",   ".",   ".", ".", ".", ".", "."},   // ReserveFragments
  {"u", "d",  "X",   ".",  "f", "R",  "X", ".",  "u+d", "t,n", ".",   "f", "z", ".", ".", "v"},   // Update
  {"n", ".",  "X",   ".",  ".", "R",  "X", ".",  "n",   "R",   ".",   "n", "X", ".", ".", "n"},   // Project
  {".", ".",  "k+s", ".",  ".", "s",  "s", ".",  ".",   ".",   "k+a", ".", ".", ".", ".", "."},   // UpdateConfig
  {".", "e",  "X",   "c",  "f", "R",  "X", ".",  "h",   "j,n", ".",   "y", "X", ".", ".", "."},   // DataReplacement
  {"X", "X",  "X",   "q'", ".", "X",  "X", ".",  "z",   "X",   ".",   "X", "z", "X", ".", "X"},   // UpdateMemWalState
  {".", ".",  ".",   ".",  ".", ".",  ".", ".",  ".",   ".",   ".",   ".", ".", ".", ".", "."},   // Clone
  {".", ".",  ".",   ".",  ".", ".",  ".", ".",  ".",   ".",   ".",   ".", ".", ".", "b", "."},   // UpdateBases
  {".", "e'", "X",   ".",  "f", "R",  "X", ".",  "r",   "n",   ".",   ".", "X", ".", ".", "."},   // DataOverlay
        // clang-format on
    }};

}  // namespace lance
