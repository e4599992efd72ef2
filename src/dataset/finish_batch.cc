#include "dataset/finish_batch.h"

#include <utility>

#include "arrow/api.h"
#include "dataset/array_types.h"
#include "dataset/json_values.h"
#include "dataset/leaf_changes.h"
#include "dataset/value_layout.h"
#include "schema/logical_type.h"
#include "schema/semantic_type.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

/// What may be shown in another layout than it is read in.
bool HasOutputEncoding(const Field& field) {
  return field.IsLeaf() && OutputEncodingOf(field).has_value();
}

Result<ArrayPtr> Show(const Field& field, const ArrayPtr& values, bool semantic_types,
                      arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto shown, field.ToOutput(semantic_types));
  auto type = StorageType(shown->type());
  const bool is_text = IsJson(field) && type->id() == arrow::Type::STRING;
  return is_text ? JsonTexts(*values, pool) : ToLayout(values, type, pool);
}

}  // namespace

Result<std::shared_ptr<const BatchFinisher>> BatchFinisher::Make(
    const std::shared_ptr<arrow::Schema>& read, std::vector<std::optional<Field>> fields,
    bool semantic_types) {
  arrow::FieldVector shown = read->fields();
  bool changed = false;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!fields[i]) continue;
    const auto& before = shown[i];
    ARROW_ASSIGN_OR_RAISE(auto field, fields[i]->ToOutput(semantic_types));
    field = field->WithName(before->name())->WithNullable(before->nullable());
    changed = changed || !field->Equals(*before, /*check_metadata=*/true);
    shown[i] = std::move(field);
  }
  if (!changed) return nullptr;
  std::shared_ptr<BatchFinisher> finisher(new BatchFinisher);
  finisher->schema_ = arrow::schema(std::move(shown), read->metadata());
  finisher->fields_ = std::move(fields);
  finisher->semantic_types_ = semantic_types;
  return finisher;
}

Result<std::shared_ptr<arrow::RecordBatch>> BatchFinisher::Finish(const arrow::RecordBatch& batch,
                                                                  arrow::MemoryPool* pool) const {
  auto show = [this, pool](const Field& field, const ArrayPtr& values) {
    return Show(field, values, semantic_types_, pool);
  };
  arrow::ArrayVector columns = batch.columns();
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (!fields_[i]) continue;
    const auto& type = schema_->field(static_cast<int>(i))->type();
    if (!SameLayout(*columns[i]->type(), *type)) {
      ARROW_ASSIGN_OR_RAISE(columns[i],
                            ChangeLeaves(*fields_[i], columns[i], HasOutputEncoding, show, pool));
    }
    columns[i] = Retyped(columns[i], type);
  }
  return arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(columns));
}

Result<std::shared_ptr<arrow::RecordBatch>> FinishBatch(const BatchFinisher* finisher,
                                                        std::shared_ptr<arrow::RecordBatch> batch,
                                                        arrow::MemoryPool* pool) {
  if (finisher == nullptr) return batch;
  return finisher->Finish(*batch, pool);
}

}  // namespace lance
