#pragma once

#include <memory>

#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// Commits changes of config and metadata. An unknown field is a user error.
Result<std::shared_ptr<const Snapshot>> ChangeMetadata(const Snapshot& snapshot,
                                                       const MetadataChanges& changes);

}  // namespace lance
