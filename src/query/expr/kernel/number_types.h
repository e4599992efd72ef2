#pragma once

#include <cstdint>
#include <utility>

#include "arrow/type.h"

namespace lance::query {

template <typename T>
struct CType {
  using Type = T;
};

/// Calls visit(CType<T>()) with the C type of an integer or floating-point Arrow type, half floats
/// excepted; `otherwise` for all other types.
template <typename Visit, typename Otherwise>
auto VisitNumberType(arrow::Type::type id, Visit visit, Otherwise otherwise) {
  switch (id) {
    case arrow::Type::INT8:
      return visit(CType<int8_t>());
    case arrow::Type::INT16:
      return visit(CType<int16_t>());
    case arrow::Type::INT32:
      return visit(CType<int32_t>());
    case arrow::Type::INT64:
      return visit(CType<int64_t>());
    case arrow::Type::UINT8:
      return visit(CType<uint8_t>());
    case arrow::Type::UINT16:
      return visit(CType<uint16_t>());
    case arrow::Type::UINT32:
      return visit(CType<uint32_t>());
    case arrow::Type::UINT64:
      return visit(CType<uint64_t>());
    case arrow::Type::FLOAT:
      return visit(CType<float>());
    case arrow::Type::DOUBLE:
      return visit(CType<double>());
    default:
      return otherwise();
  }
}

/// The integer that stands for dates, times, timestamps and durations; other types are themselves.
inline arrow::Type::type StorageId(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
      return arrow::Type::INT32;
    case arrow::Type::DATE64:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DURATION:
      return arrow::Type::INT64;
    default:
      return type.id();
  }
}

}  // namespace lance::query
