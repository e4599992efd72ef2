#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "dataset/snapshot.h"
#include "lance/dataset.h"

namespace lance {

/// See Dataset::TakeBlobs.
Result<std::vector<std::shared_ptr<Blob>>> TakeBlobs(const Snapshot& snapshot,
                                                     const std::string& column, RowKey key,
                                                     std::span<const uint64_t> rows);
/// See Dataset::ReadBlobs.
Result<std::shared_ptr<arrow::RecordBatch>> ReadBlobs(const Snapshot& snapshot,
                                                      const std::string& column, RowKey key,
                                                      std::span<const uint64_t> rows);

}  // namespace lance
