#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "dataset/json_values.h"
#include "schema/schema.h"

namespace lance {

/// The writer's boundary: what is given, or was read to be written again, as data files hold it.
/// Values that are accepted as they are pass through; JSON text becomes JSONB, and values in
/// another layout than the one that `file` declares change it, wherever they are nested. Blobs are
/// left to the BlobWriter. Text that is no JSON is a user error that names field and row; rows are
/// counted from `first_row`.
Result<std::shared_ptr<arrow::RecordBatch>> PrepareBatch(const Schema& file,
                                                         std::shared_ptr<arrow::RecordBatch> batch,
                                                         int64_t first_row, JsonSource json,
                                                         arrow::MemoryPool* pool);

/// That each column of a batch is exactly what the schema of a data file declares. Anything else is
/// an error of our own, which names the field's path, and both layouts with their extensions.
Status CheckDeclared(const Schema& file, const arrow::RecordBatch& batch);

}  // namespace lance
