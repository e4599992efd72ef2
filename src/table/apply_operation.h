#pragma once

#include "base/error.h"
#include "table/next_version.h"
#include "table/transaction.h"

namespace lance {

// One function an operation: what it changes of the newest version (spec/table-format.md §7.8).

Status ApplyAppend(const table::Transaction::Append& append, NextVersion* next);
Status ApplyOverwrite(const table::Transaction::Overwrite& overwrite, NextVersion* next);

Status ApplyDelete(const table::Transaction::Delete& removal, NextVersion* next);
Status ApplyUpdate(const table::Transaction::Update& update, NextVersion* next);

Status ApplyMerge(const table::Transaction::Merge& merge, NextVersion* next);
/// Of a Merge that gave all rows ids.
Status FinishRowIdMigration(NextVersion* next);
Status ApplyProject(const table::Transaction::Project& project, NextVersion* next);
Status ApplyDataReplacement(const table::Transaction::DataReplacement& replacement,
                            NextVersion* next);

Status ApplyRewrite(const table::Transaction::Rewrite& rewrite, NextVersion* next);
Status ApplyReserveFragments(const table::Transaction::ReserveFragments& reserve,
                             NextVersion* next);
Status ApplyCreateIndex(const table::Transaction::CreateIndex& create, NextVersion* next);

Status ApplyUpdateConfig(const Transaction& transaction, NextVersion* next);
Status ApplyUpdateBases(const table::Transaction::UpdateBases& update, NextVersion* next);

/// `next` starts as the version to go back to.
Status ApplyRestore(NextVersion* next);
/// `next` starts as the version that is cloned.
Status ApplyClone(const table::Transaction::Clone& clone, NextVersion* next);

}  // namespace lance
