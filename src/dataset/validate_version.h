#pragma once

#include "dataset/snapshot.h"

namespace lance {

/// Opens every data and deletion file of a version and compares it with the manifest: sizes, rows,
/// fields, row ids. Corrupt, the file named, at the first difference.
Status ValidateVersion(const Snapshot& snapshot);

}  // namespace lance
