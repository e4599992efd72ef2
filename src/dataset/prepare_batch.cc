#include "dataset/prepare_batch.h"

#include <string>
#include <utility>

#include "arrow/api.h"
#include "base/check_offsets.h"
#include "dataset/array_types.h"
#include "dataset/field_layout.h"
#include "dataset/leaf_changes.h"
#include "schema/blob.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

Result<ArrayPtr> ChangeColumn(const Field& field, ArrayPtr column, bool checks_json,
                              arrow::MemoryPool* pool) {
  if (checks_json) {
    auto encode = [pool](const Field&, const ArrayPtr& values) {
      return EncodeGivenJson(values, pool);
    };
    ARROW_ASSIGN_OR_RAISE(column, ChangeLeaves(field, std::move(column), IsJson, encode, pool));
  }
  return ToFieldLayout(field, column, pool);
}

Result<ArrayPtr> PrepareColumn(const Field& field, const ArrayPtr& column, int64_t first_row,
                               JsonSource json, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto type, field.ArrowType());
  const bool checks_json = json == JsonSource::kGiven && HoldsLeaf(field, IsJson);
  if (!checks_json && SameLayout(*column->type(), *type)) return column;
  // Another engine may have handed it over, through an interface that checks nothing.
  ARROW_RETURN_NOT_OK(CheckSound(field.name, *column));
  auto prepared = ChangeColumn(field, column, checks_json, pool);
  const ErrorDetail* detail = GetErrorDetail(prepared.status());
  if (detail == nullptr || !detail->place.row) return prepared;
  ErrorPlace place = detail->place;
  *place.row += first_row;
  return MakeError(detail->code, prepared.status().message(), std::move(place));
}

std::string LayoutText(const arrow::DataType& type, const std::string& extension) {
  return type.ToString() + (extension.empty() ? "" : " with the extension " + extension);
}

std::string ExtensionOf(const arrow::DataType& type) {
  if (type.id() != arrow::Type::EXTENSION) return "";
  return static_cast<const arrow::ExtensionType&>(type).extension_name();
}

Status NotDeclared(const std::string& path, const arrow::DataType& wanted,
                   const std::string& wanted_extension, const arrow::DataType& got,
                   const std::string& got_extension) {
  return MakeError(
      ErrorCode::kCorrupt,
      internal::Concat("internal error: what is to be encoded is not what the data file declares: "
                       "field '",
                       path, "' should be ", LayoutText(wanted, wanted_extension), ", but is ",
                       LayoutText(got, got_extension)));
}

Status CheckField(const Field& field, const std::string& path, const arrow::DataType& got) {
  if (IsBlobV1(field) || IsBlobV2(field)) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto wanted, field.ArrowType());
  auto storage = StorageType(got.GetSharedPtr());
  const std::string extension = ExtensionOf(got);
  const std::string declared(FindMetadata(field.metadata.get(), kExtensionNameKey).value_or(""));
  const bool same_extension = extension.empty() || extension == declared;
  // The encoder compares packed structs member by member.
  if (field.IsPackedStruct()) return Status::OK();
  if (field.IsLeaf() || storage->num_fields() != static_cast<int>(field.children.size())) {
    if (same_extension && SameLayout(*storage, *wanted)) return Status::OK();
    return NotDeclared(path, *wanted, declared, *storage, extension);
  }
  if (!same_extension || storage->id() != wanted->id()) {
    return NotDeclared(path, *wanted, declared, *storage, extension);
  }
  for (size_t i = 0; i < field.children.size(); ++i) {
    const Field& child = field.children[i];
    ARROW_RETURN_NOT_OK(
        CheckField(child, path + "." + child.name, *storage->field(static_cast<int>(i))->type()));
  }
  return Status::OK();
}

}  // namespace

Result<std::shared_ptr<arrow::RecordBatch>> PrepareBatch(const Schema& file,
                                                         std::shared_ptr<arrow::RecordBatch> batch,
                                                         int64_t first_row, JsonSource json,
                                                         arrow::MemoryPool* pool) {
  arrow::FieldVector fields = batch->schema()->fields();
  arrow::ArrayVector columns = batch->columns();
  bool changed = false;
  for (const Field& field : file.fields) {
    const int index = batch->schema()->GetFieldIndex(field.name);
    if (index < 0) continue;
    const auto at = static_cast<size_t>(index);
    ARROW_ASSIGN_OR_RAISE(auto column, PrepareColumn(field, columns[at], first_row, json, pool));
    if (column == columns[at]) continue;
    changed = true;
    fields[at] = fields[at]->WithType(column->type());
    columns[at] = std::move(column);
  }
  if (!changed) return batch;
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields), batch->schema()->metadata()),
                                  batch->num_rows(), std::move(columns));
}

Status CheckDeclared(const Schema& file, const arrow::RecordBatch& batch) {
  for (const Field& field : file.fields) {
    auto column = batch.GetColumnByName(field.name);
    // A missing one is named by the encoder.
    if (column == nullptr) continue;
    ARROW_RETURN_NOT_OK(CheckField(field, field.name, *column->type()));
  }
  return Status::OK();
}

}  // namespace lance
