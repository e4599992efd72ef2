#include "dataset/without_views.h"

#include <algorithm>

#include "arrow/api.h"
#include "arrow/extension/json.h"
#include "dataset/array_types.h"
#include "dataset/field_layout.h"
#include "dataset/map_fields.h"
#include "schema/logical_type.h"
#include "schema/metadata.h"
#include "schema/schema.h"

namespace lance {
namespace {

bool HasViews(const arrow::DataType& type) {
  auto storage = StorageType(type.GetSharedPtr());
  if (storage->id() == arrow::Type::DICTIONARY) {
    return HasViews(*static_cast<const arrow::DictionaryType&>(*storage).value_type());
  }
  const auto& members = storage->fields();
  return storage->id() == arrow::Type::STRING_VIEW || storage->id() == arrow::Type::BINARY_VIEW ||
         std::any_of(members.begin(), members.end(),
                     [](const auto& member) { return HasViews(*member->type()); });
}

/// The field with plain strings in the place of views; null if it is no view itself.
std::shared_ptr<arrow::Field> WithoutView(const std::shared_ptr<arrow::Field>& field) {
  switch (StorageType(field->type())->id()) {
    case arrow::Type::STRING_VIEW: {
      const bool is_json = ExtensionNameOf(*field) == kArrowJsonName;
      return field->WithType(is_json ? arrow::extension::json(arrow::utf8()) : arrow::utf8());
    }
    case arrow::Type::BINARY_VIEW:
      return field->WithType(arrow::binary());
    case arrow::Type::DICTIONARY: {
      const auto& dictionary =
          static_cast<const arrow::DictionaryType&>(*StorageType(field->type()));
      const auto items = WithoutView(arrow::field("", dictionary.value_type()));
      if (items == nullptr) return nullptr;
      return field->WithType(
          arrow::dictionary(dictionary.index_type(), items->type(), dictionary.ordered()));
    }
    default:
      return nullptr;
  }
}

/// JSON as the text that it is.
void KeepJson(const arrow::DataType& type, Field* field) {
  auto storage = StorageType(type.GetSharedPtr());
  if (field->logical_type == "json") field->logical_type = *LogicalTypeOf(*storage);
  for (size_t i = 0; i < field->children.size(); ++i) {
    KeepJson(*storage->field(static_cast<int>(i))->type(), &field->children[i]);
  }
}

}  // namespace

Result<std::shared_ptr<arrow::RecordBatch>> WithoutViews(
    const std::shared_ptr<arrow::RecordBatch>& batch, arrow::MemoryPool* pool) {
  auto schema = MapFields(*batch->schema(), WithoutView);
  auto columns = batch->columns();
  for (int i = 0; i < batch->num_columns(); ++i) {
    auto& column = columns[static_cast<size_t>(i)];
    if (!HasViews(*column->type())) continue;
    // Where views have no types of their own.
    const auto& field = batch->schema()->field(i);
    ARROW_ASSIGN_OR_RAISE(Schema one, Schema::FromArrow(*arrow::schema({field})));
    KeepJson(*field->type(), &one.fields[0]);
    ARROW_ASSIGN_OR_RAISE(column, ToFieldLayout(one.fields[0], column, pool));
    column = Retyped(column, schema->field(i)->type());
  }
  return arrow::RecordBatch::Make(std::move(schema), batch->num_rows(), std::move(columns));
}

}  // namespace lance
