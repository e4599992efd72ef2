#include "file/null_items.h"

#include "arrow/array/data.h"
#include "arrow/record_batch.h"

namespace lance {

std::shared_ptr<arrow::ArrayData> WithoutNullItems(const std::shared_ptr<arrow::ArrayData>& data) {
  std::shared_ptr<arrow::ArrayData> copy;
  if (data->dictionary != nullptr && data->dictionary->buffers[0] != nullptr) {
    copy = data->Copy();
    copy->dictionary = data->dictionary->Copy();
    copy->dictionary->buffers[0] = nullptr;
    copy->dictionary->null_count = 0;
  }
  for (size_t i = 0; i < data->child_data.size(); ++i) {
    auto child = WithoutNullItems(data->child_data[i]);
    if (child == data->child_data[i]) continue;
    if (copy == nullptr) copy = data->Copy();
    copy->child_data[i] = std::move(child);
  }
  return copy != nullptr ? copy : data;
}

std::shared_ptr<arrow::RecordBatch> WithoutNullItems(const arrow::RecordBatch& batch) {
  std::vector<std::shared_ptr<arrow::ArrayData>> columns;
  for (const auto& column : batch.column_data()) columns.push_back(WithoutNullItems(column));
  return arrow::RecordBatch::Make(batch.schema(), batch.num_rows(), std::move(columns));
}

}  // namespace lance
