#include "table/rebase.h"

#include <algorithm>
#include <set>
#include <string>

namespace lance {
namespace {

enum class Verdict : uint8_t { kCompatible, kRetry, kIncompatible };

/// A Merge or Project that may have tightened nullability: rows written without knowing of it might
/// hold nulls.
bool MayTightenNullability(const Transaction& theirs) {
  if (theirs.has_merge()) return !theirs.merge().preserves_nullability();
  if (theirs.has_project()) return !theirs.project().preserves_nullability();
  return false;
}

Verdict JudgeAppend(const Transaction& theirs) {
  switch (theirs.operation_case()) {
    case Transaction::kOverwrite:
    case Transaction::kRestore:
    case Transaction::kUpdateMemWalState:
    case Transaction::OPERATION_NOT_SET:
      return Verdict::kIncompatible;
    case Transaction::kMerge:
    case Transaction::kProject:
      return MayTightenNullability(theirs) ? Verdict::kRetry : Verdict::kCompatible;
    case Transaction::kAppend:
    case Transaction::kDelete:
    case Transaction::kCreateIndex:
    case Transaction::kRewrite:
    case Transaction::kReserveFragments:
    case Transaction::kUpdate:
    case Transaction::kUpdateConfig:
    case Transaction::kDataReplacement:
    case Transaction::kClone:
    case Transaction::kUpdateBases:
    case Transaction::kDataOverlay:
      return Verdict::kCompatible;
  }
  return Verdict::kIncompatible;
}

/// The keys of the table config that a transaction sets or deletes.
std::set<std::string> ConfigKeys(const Transaction& transaction) {
  std::set<std::string> keys;
  if (transaction.has_overwrite()) {
    for (const auto& [key, value] : transaction.overwrite().config_upsert_values())
      keys.insert(key);
  }
  if (transaction.has_update_config()) {
    const auto& update = transaction.update_config();
    for (const auto& entry : update.config_updates().update_entries()) keys.insert(entry.key());
    for (const auto& [key, value] : update.upsert_values()) keys.insert(key);
    for (const auto& key : update.delete_keys()) keys.insert(key);
  }
  return keys;
}

bool ConfigKeysMeet(const Transaction& ours, const Transaction& theirs) {
  std::set<std::string> mine = ConfigKeys(ours);
  std::set<std::string> other = ConfigKeys(theirs);
  return std::any_of(mine.begin(), mine.end(),
                     [&](const std::string& key) { return other.contains(key); });
}

Verdict JudgeOverwrite(const Transaction& ours, const Transaction& theirs) {
  switch (theirs.operation_case()) {
    case Transaction::kUpdateMemWalState:
    case Transaction::OPERATION_NOT_SET:
      return Verdict::kIncompatible;
    case Transaction::kOverwrite:
      return ConfigKeysMeet(ours, theirs) ? Verdict::kIncompatible : Verdict::kRetry;
    case Transaction::kUpdateConfig:
      return ConfigKeysMeet(ours, theirs) ? Verdict::kIncompatible : Verdict::kCompatible;
    case Transaction::kAppend:
    case Transaction::kDelete:
    case Transaction::kCreateIndex:
    case Transaction::kRewrite:
    case Transaction::kMerge:
    case Transaction::kRestore:
    case Transaction::kReserveFragments:
    case Transaction::kUpdate:
    case Transaction::kProject:
    case Transaction::kDataReplacement:
    case Transaction::kClone:
    case Transaction::kUpdateBases:
    case Transaction::kDataOverlay:
      return Verdict::kCompatible;
  }
  return Verdict::kIncompatible;
}

}  // namespace

Result<Transaction> Rebase(Transaction ours, const Transaction& theirs, uint64_t their_version) {
  Verdict verdict = Verdict::kIncompatible;
  if (ours.has_append()) verdict = JudgeAppend(theirs);
  if (ours.has_overwrite()) verdict = JudgeOverwrite(ours, theirs);
  switch (verdict) {
    case Verdict::kCompatible:
      return ours;
    case Verdict::kRetry:
      return MakeError(
          ErrorCode::kRetryableConflict,
          internal::Concat("this ", OperationName(ours), " was preempted by a concurrent ",
                           OperationName(theirs), " at version ", their_version, "; please retry"));
    case Verdict::kIncompatible:
      break;
  }
  return MakeError(
      ErrorCode::kIncompatibleConflict,
      internal::Concat("this ", OperationName(ours), " is incompatible with a concurrent ",
                       OperationName(theirs), " at version ", their_version));
}

}  // namespace lance
