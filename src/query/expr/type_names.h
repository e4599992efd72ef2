#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace lance::query {

/// The type that CAST names: `decimal` with parameters {10, 2}, `int` with `is_unsigned` … Null if
/// there is none. `name` in lower case.
std::shared_ptr<arrow::DataType> SqlType(std::string_view name,
                                         const std::vector<int64_t>& parameters, bool is_unsigned);

/// The name that SqlType reads; empty if it has none for this type.
std::string SqlTypeName(const arrow::DataType& type);

/// The type that arrow_cast names: `Int32`, `Timestamp(Second, None)`, `List(Int64)` … Of those
/// that are another form of the same values (views, dictionaries, narrow decimals) the plain one.
Result<std::shared_ptr<arrow::DataType>> ParseArrowTypeName(std::string_view name);
/// The same way back; for types that ParseArrowTypeName doesn't know, Arrow's own text.
std::string ArrowTypeName(const arrow::DataType& type);

}  // namespace lance::query
