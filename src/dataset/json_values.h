#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace lance {

// Values of JSON columns are stored as JSONB (spec/jsonb.md) and shown as text.

bool IsJson(const Field& field);

/// JSONB of texts in any layout of strings; JSONB stays as it is. Text that is no JSON is a user
/// error at its row.
Result<std::shared_ptr<arrow::Array>> EncodeJson(const std::shared_ptr<arrow::Array>& values,
                                                 arrow::MemoryPool* pool);
/// The text of stored values.
Result<std::shared_ptr<arrow::Array>> JsonTexts(const arrow::Array& values,
                                                arrow::MemoryPool* pool);

}  // namespace lance
