#include "dataset/join_columns.h"

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "base/check_offsets.h"
#include "base/compute_kernels.h"
#include "base/take_rows.h"
#include "dataset/array_types.h"
#include "dataset/field_layout.h"
#include "dataset/json_values.h"
#include "dataset/new_columns.h"
#include "dataset/prepare_batch.h"
#include "dataset/without_views.h"
#include "schema/metadata.h"
#include "schema/semantic_type.h"

namespace lance {
namespace {

/// The rows of `batch` in reverse, so that the first of several equal keys is the last one given.
Result<std::shared_ptr<arrow::RecordBatch>> Reversed(
    const std::shared_ptr<arrow::RecordBatch>& batch) {
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(batch->num_rows()));
  for (int64_t row = batch->num_rows() - 1; row >= 0; --row) builder.UnsafeAppend(row);
  ARROW_ASSIGN_OR_RAISE(auto order, builder.Finish());
  return TakeRows(batch, order, arrow::default_memory_pool());
}

/// A field of the files with the layout that it was given in, where that is another one.
Field WithGivenEncoding(Field file, const Field& table) {
  file.metadata = table.metadata;
  const auto encoding = OutputEncodingOf(table);
  if (encoding && (encoding->is_view || IsJson(table))) {
    file.metadata = WithMetadata(file.metadata, kOutputEncodingKey, encoding->name);
  }
  for (size_t i = 0; i < file.children.size(); ++i) {
    file.children[i] = WithGivenEncoding(std::move(file.children[i]), table.children[i]);
  }
  return file;
}

/// Rows can't be taken from views: the columns as a table with semantic types stores them.
Result<std::shared_ptr<arrow::RecordBatch>> AsStored(
    const std::shared_ptr<arrow::RecordBatch>& batch, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(NewColumns columns,
                        MakeNewColumns(*batch->schema(), 0, /*semantic_types=*/true));
  ARROW_ASSIGN_OR_RAISE(auto stored,
                        PrepareBatch(columns.files, batch, 0, JsonSource::kGiven, pool));
  arrow::FieldVector fields;
  auto arrays = stored->columns();
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Field field = WithGivenEncoding(columns.files.fields[i], columns.table.fields[i]);
    ARROW_ASSIGN_OR_RAISE(fields.emplace_back(), field.ToArrow());
    arrays[i] = Retyped(arrays[i], fields[i]->type());
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch->num_rows(),
                                  std::move(arrays));
}

}  // namespace

Result<JoinTable> JoinTable::Make(const std::shared_ptr<arrow::RecordBatchReader>& right,
                                  const std::string& key, const Field* left_key) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  int key_index = right->schema()->GetFieldIndex(key);
  if (key_index < 0) {
    return UserError("Column ", key, " does not exist in the right side dataset");
  }
  ARROW_ASSIGN_OR_RAISE(auto table, right->ToTable());
  ARROW_ASSIGN_OR_RAISE(auto batch, table->CombineChunksToBatch());
  ARROW_RETURN_NOT_OK(CheckSound(*batch));
  auto prepared = left_key != nullptr ? AsStored(batch, arrow::default_memory_pool())
                                      : WithoutViews(batch, arrow::default_memory_pool());
  ARROW_ASSIGN_OR_RAISE(batch, std::move(prepared));
  ARROW_ASSIGN_OR_RAISE(batch, Reversed(batch));
  JoinTable join;
  join.keys_ = batch->column(key_index);
  if (left_key != nullptr) {
    ARROW_ASSIGN_OR_RAISE(join.keys_,
                          ToFieldLayout(*left_key, join.keys_, arrow::default_memory_pool()));
  }
  ARROW_ASSIGN_OR_RAISE(join.values_, batch->RemoveColumn(key_index));
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const auto& field : join.values_->schema()->fields()) {
    fields.push_back(field->WithNullable(true));
  }
  join.schema_ = arrow::schema(std::move(fields));
  join.options_ = std::make_shared<arrow::compute::SetLookupOptions>(
      join.keys_, arrow::compute::SetLookupOptions::SKIP);
  ARROW_ASSIGN_OR_RAISE(join.lookup_, arrow::compute::GetFunctionExecutor(
                                          "index_in", {join.keys_->type()}, join.options_.get()));
  return join;
}

Result<std::shared_ptr<arrow::Int32Array>> JoinTable::Find(
    const std::shared_ptr<arrow::Array>& keys) const {
  if (!keys->type()->Equals(keys_->type())) {
    return UserError("Index column type mismatch: expected ", keys->type()->ToString(), ", got ",
                     keys_->type()->ToString());
  }
  ARROW_ASSIGN_OR_RAISE(auto found, lookup_->Execute({keys}));
  return std::static_pointer_cast<arrow::Int32Array>(found.make_array());
}

Result<std::shared_ptr<arrow::RecordBatch>> JoinTable::Match(
    const std::shared_ptr<arrow::Array>& keys, arrow::MemoryPool* pool) const {
  ARROW_ASSIGN_OR_RAISE(auto found, Find(keys));
  auto columns = values_->columns();
  for (auto& column : columns) {
    ARROW_ASSIGN_OR_RAISE(column, TakeRows(column, found, pool));
  }
  return arrow::RecordBatch::Make(schema_, keys->length(), std::move(columns));
}

}  // namespace lance
