#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance {

/// What a logical type says about the children of its field.
enum class FieldKind : uint8_t {
  kLeaf,
  kStruct,
  kList,
  kLargeList,
  kMap,
  kFixedSizeListOfStruct,
};

/// The kind of any string: what isn't known as a parent is a leaf.
FieldKind KindOfLogicalType(std::string_view logical_type);

/// The dimension in `fixed_size_list:struct:{n}`.
Result<int32_t> ParseStructListDimension(std::string_view logical_type);

/// The storage type of a field: extension types are taken off.
std::shared_ptr<arrow::DataType> StorageType(std::shared_ptr<arrow::DataType> type);
/// The name of the field's extension, by its type or, if that is not registered in the process, by
/// its metadata; empty if it has none.
std::string ExtensionNameOf(const arrow::Field& field);
/// Whether values of this extension and storage are stored as binary JSON.
bool IsStoredAsJson(std::string_view extension_name, const arrow::DataType& storage);

/// A dimension of a fixed-size list; must be at least 1.
Status CheckDimension(int32_t dimension);

}  // namespace lance
