#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/context.h"
#include "schema/schema.h"

namespace lance {

// JSON columns are stored as JSONB (spec/jsonb.md) and shown as text of the type arrow.json.

bool IsJson(const Field& field);

/// JSONB of the texts in JSON columns of a batch, wherever they are nested. Columns that hold JSONB
/// already stay. Text that is no JSON is a user error that names field and row.
Result<std::shared_ptr<arrow::RecordBatch>> StoreJson(const Schema& schema,
                                                      std::shared_ptr<arrow::RecordBatch> batch,
                                                      arrow::MemoryPool* pool);

/// The schema with stored JSON columns as they are shown.
std::shared_ptr<arrow::Schema> ShowJson(const std::shared_ptr<arrow::Schema>& schema);
Result<std::shared_ptr<arrow::RecordBatch>> ShowJson(std::shared_ptr<arrow::RecordBatch> batch,
                                                     arrow::MemoryPool* pool);
Result<std::shared_ptr<arrow::Table>> ShowJson(std::shared_ptr<arrow::Table> table,
                                               arrow::MemoryPool* pool);
Result<std::shared_ptr<arrow::RecordBatchReader>> ShowJson(
    std::shared_ptr<arrow::RecordBatchReader> reader, const Context& context);

}  // namespace lance
