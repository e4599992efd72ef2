#include "encoding/write/slice_rows.h"

#include <algorithm>

#include "arrow/array/data.h"

namespace lance::encoding {

std::vector<std::shared_ptr<arrow::ArrayData>> SliceRows(
    const std::vector<std::shared_ptr<arrow::ArrayData>>& arrays, uint64_t first, uint64_t count) {
  std::vector<std::shared_ptr<arrow::ArrayData>> out;
  for (const auto& array : arrays) {
    const auto length = static_cast<uint64_t>(array->length);
    if (first >= length) {
      first -= length;
      continue;
    }
    if (count == 0) break;
    const uint64_t taken = std::min(count, length - first);
    out.push_back(taken == length
                      ? array
                      : array->Slice(static_cast<int64_t>(first), static_cast<int64_t>(taken)));
    count -= taken;
    first = 0;
  }
  return out;
}

}  // namespace lance::encoding
