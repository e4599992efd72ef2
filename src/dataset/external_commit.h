#pragma once

#include <memory>
#include <string>

#include "dataset/open_table.h"
#include "lance/dataset.h"
#include "table/transaction.h"

namespace lance {

/// Commits a transaction that was made elsewhere.
Result<std::shared_ptr<const Snapshot>> CommitExternal(const TableHandle& handle,
                                                       Transaction transaction,
                                                       const CommitTransactionOptions& options);

}  // namespace lance
