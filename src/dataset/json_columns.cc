#include "dataset/json_columns.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/extension/json.h"
#include "arrow/util/key_value_metadata.h"
#include "dataset/leaf_changes.h"
#include "dataset/map_fields.h"
#include "query/json/json_encoder.h"
#include "query/json/jsonb.h"
#include "schema/metadata.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

template <typename TextArray>
Result<ArrayPtr> Encode(const Field& field, const arrow::Array& array, arrow::MemoryPool* pool) {
  const auto& texts = static_cast<const TextArray&>(array);
  arrow::LargeBinaryBuilder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(texts.length()));
  std::string cell;
  for (int64_t i = 0; i < texts.length(); ++i) {
    if (texts.IsNull(i)) {
      builder.UnsafeAppendNull();
      continue;
    }
    cell.clear();
    const Status status = query::AppendJsonb(texts.GetView(i), &cell);
    if (!status.ok()) {
      return UserError(status.message(), ": field '", field.name, "', row ", i, " of the batch");
    }
    ARROW_RETURN_NOT_OK(builder.Append(cell));
  }
  return builder.Finish();
}

Result<ArrayPtr> EncodeColumn(const Field& field, const ArrayPtr& array, arrow::MemoryPool* pool) {
  switch (array->type_id()) {
    case arrow::Type::STRING:
      return Encode<arrow::StringArray>(field, *array, pool);
    case arrow::Type::LARGE_STRING:
      return Encode<arrow::LargeStringArray>(field, *array, pool);
    case arrow::Type::STRING_VIEW:
      return Encode<arrow::StringViewArray>(field, *array, pool);
    case arrow::Type::LARGE_BINARY:
      return array;
    default:
      return UserError("column holds no JSON: field '", field.name, "' is ",
                       array->type()->ToString(), "; make it arrow.json, or strings");
  }
}

// Of a field as it is stored.
bool IsStoredJson(const arrow::Field& field) {
  return field.type()->id() == arrow::Type::LARGE_BINARY &&
         FindMetadata(field.metadata().get(), kExtensionNameKey) == kLanceJsonName;
}

bool HoldsStoredJson(const arrow::Field& field) {
  const auto& below = field.type()->fields();
  return IsStoredJson(field) || std::any_of(below.begin(), below.end(), [](const auto& child) {
           return HoldsStoredJson(*child);
         });
}

std::shared_ptr<arrow::DataType> ShownType() { return arrow::extension::json(arrow::utf8()); }

std::shared_ptr<arrow::Field> ShowField(const std::shared_ptr<arrow::Field>& field) {
  if (!IsStoredJson(*field)) return nullptr;
  auto metadata = WithMetadata(field->metadata(), kExtensionNameKey, std::nullopt);
  metadata = WithMetadata(metadata, kExtensionMetadataKey, std::nullopt);
  return arrow::field(field->name(), ShownType(), field->nullable(), std::move(metadata));
}

Result<ArrayPtr> ShowColumn(const ArrayPtr& array, arrow::MemoryPool* pool) {
  const auto& cells = static_cast<const arrow::LargeBinaryArray&>(*array);
  arrow::StringBuilder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(cells.length()));
  for (int64_t i = 0; i < cells.length(); ++i) {
    if (cells.IsNull(i)) {
      builder.UnsafeAppendNull();
    } else {
      ARROW_RETURN_NOT_OK(builder.Append(query::CellText(cells.GetView(i))));
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto texts, builder.Finish());
  return arrow::ExtensionType::WrapArray(ShownType(), texts);
}

// Shows batch after batch; what that takes is worked out once.
class JsonShower {
 public:
  static Result<std::shared_ptr<const JsonShower>> Make(
      const std::shared_ptr<arrow::Schema>& stored) {
    std::shared_ptr<JsonShower> shower(new JsonShower);
    shower->shown_ = ShowJson(stored);
    if (shower->shown_ == stored) return nullptr;
    // Only for the names and the nesting; other types than tables store may be in a result.
    for (const auto& field : stored->fields()) {
      auto shown = shower->shown_->GetFieldByName(field->name());
      if (shown == nullptr || shown->Equals(*field)) continue;
      ARROW_ASSIGN_OR_RAISE(Schema one, Schema::FromArrow(*arrow::schema({field})));
      shower->fields_.fields.push_back(std::move(one.fields[0]));
    }
    return shower;
  }

  const std::shared_ptr<arrow::Schema>& schema() const { return shown_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Show(const arrow::RecordBatch& batch,
                                                   arrow::MemoryPool* pool) const {
    ARROW_ASSIGN_OR_RAISE(
        auto shown,
        ChangeLeaves(
            fields_, batch, IsJson,
            [pool](const Field&, const ArrayPtr& cells) { return ShowColumn(cells, pool); }, pool));
    return arrow::RecordBatch::Make(shown_, batch.num_rows(), shown->columns());
  }

 private:
  std::shared_ptr<arrow::Schema> shown_;
  Schema fields_;
};

class ShownReader final : public arrow::RecordBatchReader {
 public:
  ShownReader(std::shared_ptr<arrow::RecordBatchReader> stored,
              std::shared_ptr<const JsonShower> shower, Context context)
      : stored_(std::move(stored)), shower_(std::move(shower)), context_(std::move(context)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return shower_->schema(); }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(stored_->ReadNext(batch));
    if (*batch == nullptr) return Status::OK();
    return shower_->Show(**batch, context_.pool()).Value(batch);
  }
  Status Close() override { return stored_->Close(); }

 private:
  const std::shared_ptr<arrow::RecordBatchReader> stored_;
  const std::shared_ptr<const JsonShower> shower_;
  const Context context_;
};

}  // namespace

bool IsJson(const Field& field) { return field.logical_type == "json"; }

Result<std::shared_ptr<arrow::RecordBatch>> StoreJson(const Schema& schema,
                                                      std::shared_ptr<arrow::RecordBatch> batch,
                                                      arrow::MemoryPool* pool) {
  if (!HoldsLeaf(schema, IsJson)) return batch;
  return ChangeLeaves(
      schema, *batch, IsJson,
      [pool](const Field& field, const ArrayPtr& texts) {
        return EncodeColumn(field, texts, pool);
      },
      pool);
}

std::shared_ptr<arrow::Schema> ShowJson(const std::shared_ptr<arrow::Schema>& schema) {
  // Takes of single rows come here too: nothing is made for schemas without JSON.
  const auto& fields = schema->fields();
  if (std::none_of(fields.begin(), fields.end(),
                   [](const auto& field) { return HoldsStoredJson(*field); })) {
    return schema;
  }
  return MapFields(*schema, ShowField);
}

Result<std::shared_ptr<arrow::RecordBatch>> ShowJson(std::shared_ptr<arrow::RecordBatch> batch,
                                                     arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto shower, JsonShower::Make(batch->schema()));
  if (shower == nullptr) return batch;
  return shower->Show(*batch, pool);
}

Result<std::shared_ptr<arrow::Table>> ShowJson(std::shared_ptr<arrow::Table> table,
                                               arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto shower, JsonShower::Make(table->schema()));
  if (shower == nullptr) return table;
  arrow::TableBatchReader reader(*table);
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
    if (batch == nullptr) return arrow::Table::FromRecordBatches(shower->schema(), batches);
    ARROW_ASSIGN_OR_RAISE(batches.emplace_back(), shower->Show(*batch, pool));
  }
}

Result<std::shared_ptr<arrow::RecordBatchReader>> ShowJson(
    std::shared_ptr<arrow::RecordBatchReader> reader, const Context& context) {
  ARROW_ASSIGN_OR_RAISE(auto shower, JsonShower::Make(reader->schema()));
  if (shower == nullptr) return reader;
  return std::make_shared<ShownReader>(std::move(reader), std::move(shower), context);
}

}  // namespace lance
