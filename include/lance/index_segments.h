#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset.h"
#include "lance/export.h"

namespace lance {

/// A segment of an index, as a table describes it.
struct IndexSegmentInfo {
  std::string message;  ///< a serialized `lance.table.IndexMetadata`
  /// The fragments whose rows it knows; nothing when it doesn't say.
  std::optional<std::vector<uint32_t>> fragment_ids;
};

/// The segments of the indexes that a version has.
LANCE_EXPORT arrow::Result<std::vector<IndexSegmentInfo>> IndexSegments(const Dataset& dataset);

}  // namespace lance
