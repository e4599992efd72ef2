#include "dataset/field_messages.h"

#include "arrow/type.h"
#include "base/error.h"
#include "dataset/new_columns.h"
#include "file.pb.h"
#include "lance/dataset.h"
#include "proto/parse.h"

namespace lance {
namespace {

using WireFields = google::protobuf::RepeatedPtrField<lance::file::Field>;

Status SetIds(const std::vector<int32_t>& ids, size_t* next, std::vector<Field>* fields) {
  for (Field& field : *fields) {
    if (*next == ids.size()) return UserError("schema has more fields than ids: ", ids.size());
    field.id = ids[(*next)++];
    ARROW_RETURN_NOT_OK(SetIds(ids, next, &field.children));
  }
  return Status::OK();
}

}  // namespace

std::vector<std::string> FieldMessages(const Schema& schema) {
  // In the names of layouts, which say the same together with the output encodings, and which Arrow
  // has types for.
  Schema layouts = schema;
  layouts.semantic_types = false;
  WireFields fields;
  layouts.ToProto(&fields);
  std::vector<std::string> messages;
  for (const auto& field : fields) messages.push_back(field.SerializeAsString());
  return messages;
}

arrow::Result<std::vector<std::string>> SerializeFields(
    const arrow::Schema& schema, const std::optional<std::vector<int32_t>>& ids,
    bool semantic_types) {
  ARROW_ASSIGN_OR_RAISE(NewColumns columns, MakeNewColumns(schema, 0, semantic_types));
  Schema converted = std::move(columns.table);
  if (ids) {
    size_t next = 0;
    ARROW_RETURN_NOT_OK(SetIds(*ids, &next, &converted.fields));
    if (next != ids->size()) {
      return UserError("schema has fewer fields than ids: ", next, " of ", ids->size());
    }
  }
  return FieldMessages(converted);
}

arrow::Result<std::pair<std::shared_ptr<arrow::Schema>, std::vector<int32_t>>> ParseFields(
    const std::vector<std::string>& fields) {
  WireFields wire;
  for (const std::string& message : fields) {
    if (!ParseMessage(message, wire.Add())) return UserError("message of a field is damaged");
  }
  auto schema_of_layouts = Schema::FromProto(wire);
  // Or of a table with semantic types, where some have names that are no layouts.
  if (!schema_of_layouts.ok()) schema_of_layouts = Schema::FromProto(wire, /*semantic_types=*/true);
  ARROW_ASSIGN_OR_RAISE(Schema schema, std::move(schema_of_layouts));
  std::vector<int32_t> ids;
  for (const Field* field : schema.PreOrder()) ids.push_back(field->id);
  ARROW_ASSIGN_OR_RAISE(auto arrow_schema, schema.ToArrow());
  return std::make_pair(std::move(arrow_schema), std::move(ids));
}

}  // namespace lance
