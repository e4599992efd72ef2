#pragma once

#include <memory>

#include "dataset/snapshot.h"

namespace lance {

/// Gives all rows stable ids, in the order of their fragments, in one commit that writes no data. A
/// table that has them stays as it is. Indexes hold row addresses: with any the migration is a user
/// error.
Result<std::shared_ptr<const Snapshot>> MigrateToStableRowIds(
    const std::shared_ptr<const Snapshot>& snapshot);

}  // namespace lance
