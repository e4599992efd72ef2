#include "dataset/null_values.h"

#include "arrow/api.h"
#include "arrow/util/bit_util.h"
#include "schema/logical_type.h"

namespace lance {
namespace {

using DataPtr = std::shared_ptr<arrow::ArrayData>;

/// Which rows have a key of a value that is not null, at the offset of the data.
Result<std::shared_ptr<arrow::Buffer>> ValidRows(const arrow::ArrayData& data,
                                                 arrow::MemoryPool* pool) {
  auto plain = data.Copy();
  plain->type = StorageType(data.type);
  const arrow::DictionaryArray keys(plain);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits,
                        arrow::AllocateEmptyBitmap(data.offset + data.length, pool));
  for (int64_t row = 0; row < keys.length(); ++row) {
    const bool is_valid = keys.IsValid(row) && keys.dictionary()->IsValid(keys.GetValueIndex(row));
    arrow::bit_util::SetBitTo(bits->mutable_data(), data.offset + row, is_valid);
  }
  return bits;
}

/// As deep as types are nested, which is bounded.
Result<DataPtr> WithNullKeys(const DataPtr& data, arrow::MemoryPool* pool) {
  DataPtr changed = data;
  for (size_t i = 0; i < data->child_data.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(DataPtr child, WithNullKeys(data->child_data[i], pool));
    if (child == data->child_data[i]) continue;
    if (changed == data) changed = data->Copy();
    changed->child_data[i] = std::move(child);
  }
  const bool has_null_values = data->dictionary != nullptr &&
                               data->dictionary->type->id() != arrow::Type::NA &&
                               data->dictionary->GetNullCount() > 0;
  if (!has_null_values) return changed;
  changed = data->Copy();
  ARROW_ASSIGN_OR_RAISE(changed->buffers[0], ValidRows(*data, pool));
  changed->SetNullCount(arrow::kUnknownNullCount);
  // What lies below a null is a value like others, which no key has.
  changed->dictionary = data->dictionary->Copy();
  changed->dictionary->buffers[0] = nullptr;
  changed->dictionary->SetNullCount(0);
  return changed;
}

}  // namespace

Result<std::shared_ptr<arrow::RecordBatch>> WithoutNullValues(
    const std::shared_ptr<arrow::RecordBatch>& batch, arrow::MemoryPool* pool) {
  auto columns = batch->columns();
  for (auto& column : columns) {
    ARROW_ASSIGN_OR_RAISE(auto data, WithNullKeys(column->data(), pool));
    if (data != column->data()) column = arrow::MakeArray(data);
  }
  return arrow::RecordBatch::Make(batch->schema(), batch->num_rows(), std::move(columns));
}

}  // namespace lance
