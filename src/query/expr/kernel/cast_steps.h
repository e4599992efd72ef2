#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "arrow/array.h"
#include "arrow/builder.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/reading.h"

namespace lance::query {

/// One cast of one array: what its parts share.
struct CastJob {
  arrow::MemoryPool* pool;
  const std::shared_ptr<arrow::Array>& array;
  const std::shared_ptr<arrow::DataType>& to;
  CastMode mode;

  const arrow::DataType& from() const { return *array->type(); }
  Operand operand() const { return {array, false}; }
  /// The error for a value that doesn't fit.
  Status CannotCast(int64_t row) const;
};

/// Makes a row null, in bits that are there once one is.
inline Status SetNull(const CastJob& job, int64_t row, std::shared_ptr<arrow::Buffer>* validity) {
  if (*validity == nullptr) {
    ARROW_ASSIGN_OR_RAISE(*validity, arrow::AllocateBitmap(job.array->length(), job.pool));
    std::memset((*validity)->mutable_data(), 0xFF, static_cast<size_t>((*validity)->size()));
  }
  arrow::bit_util::ClearBit((*validity)->mutable_data(), row);
  return Status::OK();
}

/// convert(row, &value) for each row; where it returns false the cast fails, or gives null.
template <typename T, typename Convert>
Result<std::shared_ptr<arrow::Array>> CastFixed(const CastJob& job, Convert convert) {
  int64_t rows = job.array->length();
  Operand operand = job.operand();
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(job.pool, {&operand, 1}, rows));
  std::shared_ptr<arrow::Buffer> validity = nulls.validity();
  ARROW_ASSIGN_OR_RAISE(auto buffer, AllocateValues<T>(job.pool, rows));
  T* out = buffer->template mutable_data_as<T>();
  for (int64_t row = 0; row < rows; ++row) {
    out[row] = T{};
    if (nulls.IsNull(row) || convert(row, &out[row])) continue;
    if (job.mode == CastMode::kStrict) return job.CannotCast(row);
    ARROW_RETURN_NOT_OK(SetNull(job, row, &validity));
    out[row] = T{};
  }
  return MakeFixed(job.to, rows, std::move(buffer), std::move(validity));
}

Result<std::shared_ptr<arrow::Array>> CastFromText(const CastJob& job);
Result<std::shared_ptr<arrow::Array>> CastToText(const CastJob& job);
Result<std::shared_ptr<arrow::Array>> CastFromDecimal(const CastJob& job);
Result<std::shared_ptr<arrow::Array>> CastToDecimal(const CastJob& job);
/// Between dates, times, timestamps and durations.
Result<std::shared_ptr<arrow::Array>> CastTemporal(const CastJob& job);

bool CanCastTemporal(const arrow::DataType& from, const arrow::DataType& to);

}  // namespace lance::query
