#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace lance {

/// What one data file holds of a field: the part of the field's tree, and its values.
struct ColumnPart {
  const Field* field = nullptr;
  std::shared_ptr<arrow::Array> array;
};

/// Whether two trees have the same fields, by id.
bool SameTree(const Field& a, const Field& b);

/// Builds a column whose fields lie in several data files: members of structs (also below lists)
/// are taken from the part that has them, or are null where none has. The parts must agree about
/// the lengths of lists; parents are as in the first part. No part at all gives all nulls.
Result<std::shared_ptr<arrow::Array>> MergeColumn(const Field& field,
                                                  const std::shared_ptr<arrow::DataType>& type,
                                                  std::span<const ColumnPart> parts, int64_t length,
                                                  arrow::MemoryPool* pool);

}  // namespace lance
