#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/context.h"
#include "file/file_reader.h"

namespace lance {

/// A stream of rows of a file in batches of `batch_rows` (the last one may have fewer), for ranges
/// as FileReader::Read takes them. Reads ahead by some MiB: batches are slices of larger reads.
/// What `context` points to must outlive the stream. Not thread-safe.
Result<std::shared_ptr<arrow::RecordBatchReader>> ReadInBatches(
    const Context& context, std::shared_ptr<const FileReader> reader, FileProjection projection,
    std::vector<RowRange> rows, uint64_t batch_rows);

}  // namespace lance
