#include "query/expr/kernel/reading.h"

#include "arrow/buffer.h"
#include "arrow/type.h"
#include "arrow/util/bitmap_ops.h"

namespace lance::query {

BytesValues::BytesValues(const Operand& operand) : step_(operand.is_constant ? 0 : 1) {
  const arrow::ArrayData& data = *operand.array->data();
  auto bytes_of = [](const std::shared_ptr<arrow::Buffer>& buffer) {
    return buffer != nullptr ? reinterpret_cast<const char*>(buffer->data()) : nullptr;
  };
  switch (data.type->id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      narrow_ = data.GetValues<int32_t>(1);
      bytes_ = bytes_of(data.buffers[2]);
      break;
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      wide_ = data.GetValues<int64_t>(1);
      bytes_ = bytes_of(data.buffers[2]);
      break;
    default:
      width_ = static_cast<const arrow::FixedSizeBinaryType&>(*data.type).byte_width();
      offset_ = data.offset;
      bytes_ = bytes_of(data.buffers[1]);
      break;
  }
}

Result<RowNulls> RowNulls::Of(arrow::MemoryPool* pool, std::span<const Operand> operands,
                              int64_t rows) {
  RowNulls nulls;
  for (const Operand& operand : operands) {
    const arrow::Array& array = *operand.array;
    if (array.null_count() == 0) continue;
    if (operand.is_constant || array.type_id() == arrow::Type::NA) {
      ARROW_ASSIGN_OR_RAISE(nulls.bits_, arrow::AllocateEmptyBitmap(rows, pool));
      return nulls;
    }
    if (nulls.bits_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(nulls.bits_, arrow::internal::CopyBitmap(pool, array.null_bitmap_data(),
                                                                     array.offset(), rows));
      continue;
    }
    arrow::internal::BitmapAnd(nulls.bits_->data(), 0, array.null_bitmap_data(), array.offset(),
                               rows, 0, nulls.bits_->mutable_data());
  }
  return nulls;
}

std::shared_ptr<arrow::Array> MakeBooleans(int64_t rows, std::shared_ptr<arrow::Buffer> bits,
                                           std::shared_ptr<arrow::Buffer> validity) {
  return MakeFixed(arrow::boolean(), rows, std::move(bits), std::move(validity));
}

std::shared_ptr<arrow::Array> WithType(const std::shared_ptr<arrow::Array>& array,
                                       const std::shared_ptr<arrow::DataType>& type) {
  auto data = array->data()->Copy();
  data->type = type;
  return arrow::MakeArray(data);
}

std::shared_ptr<arrow::Array> MakeFixed(const std::shared_ptr<arrow::DataType>& type, int64_t rows,
                                        std::shared_ptr<arrow::Buffer> values,
                                        std::shared_ptr<arrow::Buffer> validity) {
  return arrow::MakeArray(
      arrow::ArrayData::Make(type, rows, {std::move(validity), std::move(values)}));
}

}  // namespace lance::query
