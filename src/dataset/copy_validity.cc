#include "dataset/copy_validity.h"

#include "arrow/array/array_base.h"
#include "arrow/util/bitmap_ops.h"

namespace lance {

Result<std::shared_ptr<arrow::Buffer>> CopyValidity(const arrow::Array& array,
                                                    arrow::MemoryPool* pool) {
  if (array.null_count() == 0) return nullptr;
  return arrow::internal::CopyBitmap(pool, array.null_bitmap_data(), array.offset(),
                                     array.length());
}

}  // namespace lance
