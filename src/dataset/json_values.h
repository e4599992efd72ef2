#pragma once

#include <cstdint>
#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace lance {

// Values of JSON columns are stored as JSONB (spec/jsonb.md) and shown as text.

/// Where values of JSON columns come from.
enum class JsonSource : uint8_t {
  kTrusted,  ///< a table, or what goes into one without semantic types
  kGiven,    ///< somebody gives them to a table with semantic types: they are checked
};

bool IsJson(const Field& field);

/// JSONB of texts in any layout of strings; JSONB stays as it is. Text that is no JSON is a user
/// error at its row.
Result<std::shared_ptr<arrow::Array>> EncodeJson(const std::shared_ptr<arrow::Array>& values,
                                                 arrow::MemoryPool* pool);
/// The same of values that are given to a table with semantic types: text must be JSON by RFC 8259,
/// and bytes must be JSONB; others are user errors too.
Result<std::shared_ptr<arrow::Array>> EncodeGivenJson(const std::shared_ptr<arrow::Array>& values,
                                                      arrow::MemoryPool* pool);
/// The text of stored values.
Result<std::shared_ptr<arrow::Array>> JsonTexts(const arrow::Array& values,
                                                arrow::MemoryPool* pool);

}  // namespace lance
