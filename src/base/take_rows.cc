#include "base/take_rows.h"

#include <algorithm>

#include "arrow/array.h"
#include "arrow/array/concatenate.h"
#include "arrow/compute/api_vector.h"
#include "arrow/compute/exec.h"
#include "arrow/record_batch.h"
#include "base/compute_kernels.h"

namespace lance {
namespace {

using arrow::Type;

bool HasNestedFixedSizeList(const arrow::DataType& type) {
  const auto& fields = type.fields();
  if (type.id() == Type::FIXED_SIZE_LIST && fields[0]->type()->id() == Type::FIXED_SIZE_LIST) {
    return true;
  }
  return std::any_of(fields.begin(), fields.end(),
                     [](const auto& field) { return HasNestedFixedSizeList(*field->type()); });
}

bool HasOffset(const arrow::ArrayData& data) {
  return data.offset != 0 || std::any_of(data.child_data.begin(), data.child_data.end(),
                                         [](const auto& child) { return HasOffset(*child); });
}

}  // namespace

Result<std::shared_ptr<arrow::Array>> TakeRows(const std::shared_ptr<arrow::Array>& array,
                                               const std::shared_ptr<arrow::Array>& rows,
                                               arrow::MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  std::shared_ptr<arrow::Array> from = array;
  // Of fixed-size lists in fixed-size lists, Arrow 26 counts the offset of a slice twice, and so
  // takes other rows, or what lies behind the buffer.
  if (HasNestedFixedSizeList(*array->type()) && HasOffset(*array->data())) {
    ARROW_ASSIGN_OR_RAISE(from, arrow::Concatenate({array}, pool));
  }
  arrow::compute::ExecContext exec(pool);
  return arrow::compute::Take(*from, *rows, arrow::compute::TakeOptions::NoBoundsCheck(), &exec);
}

Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(
    const std::shared_ptr<arrow::RecordBatch>& batch, const std::shared_ptr<arrow::Array>& rows,
    arrow::MemoryPool* pool) {
  auto columns = batch->columns();
  for (auto& column : columns) {
    ARROW_ASSIGN_OR_RAISE(column, TakeRows(column, rows, pool));
  }
  return arrow::RecordBatch::Make(batch->schema(), rows->length(), std::move(columns));
}

}  // namespace lance
