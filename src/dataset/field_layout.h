#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace lance {

/// A column in the layouts that the logical types of its field, and of those below it, name; text
/// of JSON columns becomes JSONB. Blobs are left alone, and so are values that are none of the
/// field's type. Nothing is copied that has its layout. Errors name the field's path, and the row
/// where there is one.
Result<std::shared_ptr<arrow::Array>> ToFieldLayout(const Field& field,
                                                    const std::shared_ptr<arrow::Array>& column,
                                                    arrow::MemoryPool* pool);

}  // namespace lance
