#pragma once

#include <vector>

#include "base/error.h"
#include "encoding/read/leaf_shape.h"
#include "schema/schema.h"

namespace lance {

/// The shape of the leaf at the end of `path` (top-level field first). Leaves that this build can't
/// decode (packed structs, blobs) are Unsupported, named.
Result<encoding::LeafShape> MakeLeafShape(const std::vector<const Field*>& path);

/// Rows that the pages of a leaf count for one row of the file: more than 1 below fixed-size lists
/// of struct.
Result<uint64_t> RowsScale(const std::vector<const Field*>& path);

/// Paths from the top-level field to each leaf, in column order; parallel to schema.Leaves().
std::vector<std::vector<const Field*>> LeafPaths(const Schema& schema);

/// `a.b.item`
std::string PathName(const std::vector<const Field*>& path);

}  // namespace lance
