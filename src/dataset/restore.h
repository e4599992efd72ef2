#pragma once

#include <memory>

#include "dataset/snapshot.h"

namespace lance {

/// Makes this version the newest one again.
Result<std::shared_ptr<const Snapshot>> RestoreVersion(const Snapshot& snapshot);

}  // namespace lance
