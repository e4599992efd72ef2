#pragma once

#include <memory>
#include <string>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance::encoding {

/// The array as the storage type `wanted`: extension types are taken off, views become plain
/// strings, nulls among the values of a dictionary become null keys. Nothing is copied that needs
/// no change. Another type is a user error that names `field` and both types; names and
/// nullability of list items don't matter.
Result<std::shared_ptr<arrow::ArrayData>> ToStorageArray(std::shared_ptr<arrow::ArrayData> array,
                                                         const arrow::DataType& wanted,
                                                         const std::string& field,
                                                         arrow::MemoryPool* pool);

}  // namespace lance::encoding
