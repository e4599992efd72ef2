#include "dataset/update_rows.h"

#include <span>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "base/compute_kernels.h"
#include "dataset/json_values.h"
#include "dataset/row_positions.h"
#include "dataset/scan.h"
#include "query/expr/binder.h"
#include "query/expr/evaluate.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/predicates.h"
#include "schema/semantic_schema.h"

namespace lance {
namespace {

/// A column and the expression that it is set to.
struct Assignment {
  int column = 0;
  query::ExprPtr value;
};

Result<Assignment> BindAssignment(const Schema& stored, const arrow::Schema& schema,
                                  const std::string& name, const std::string& sql) {
  int column = schema.GetFieldIndex(name);
  if (column < 0) return UserError("Column '", name, "' does not exist in the table");
  ARROW_ASSIGN_OR_RAISE(auto value, query::BindSql(sql, schema));
  // Text of JSON becomes JSONB.
  if (IsJson(stored.fields[static_cast<size_t>(column)])) return Assignment{column, value};
  auto plain = query::PlainType(schema.field(column)->type());
  if (query::CanCast(*value->type, *plain)) value = query::Fold(query::MakeCast(value, plain));
  return Assignment{column, std::move(value)};
}

Result<std::vector<Assignment>> BindAll(const Schema& stored, const arrow::Schema& schema,
                                        const std::map<std::string, std::string>& updates) {
  if (updates.empty()) return UserError("No updates provided: name a column to set");
  std::vector<Assignment> assignments;
  for (const auto& [name, sql] : updates) {
    ARROW_ASSIGN_OR_RAISE(assignments.emplace_back(), BindAssignment(stored, schema, name, sql));
  }
  return assignments;
}

class Updater {
 public:
  explicit Updater(std::shared_ptr<const Snapshot> snapshot)
      : snapshot_(std::move(snapshot)), context_(snapshot_->MakeContext()) {}

  Status Bind(const std::map<std::string, std::string>& updates) {
    ARROW_RETURN_NOT_OK(InitializeComputeKernels());
    ARROW_ASSIGN_OR_RAISE(schema_, RewriteSchema(snapshot_->manifest().schema).ToArrow());
    return BindAll(snapshot_->manifest().schema, *schema_, updates).Value(&assignments_);
  }

  Result<UpdatedRows> Run(const std::optional<std::string>& where,
                          const RowRewriteOptions& options) {
    ARROW_ASSIGN_OR_RAISE(auto rewrite, RowRewrite::Begin(snapshot_, options));
    ARROW_ASSIGN_OR_RAISE(uint64_t count, WriteUpdated(where, options.poll, rewrite.get()));
    ARROW_ASSIGN_OR_RAISE(auto transaction, rewrite->Finish(UpdatedFields()));
    ARROW_ASSIGN_OR_RAISE(auto committed, rewrite->Commit(std::move(transaction)));
    return UpdatedRows{std::move(committed), count};
  }

 private:
  Result<uint64_t> WriteUpdated(const std::optional<std::string>& where, const Poll& poll,
                                RowRewrite* rewrite) {
    ScanOptions options;
    options.poll = poll;
    options.filter = where;
    options.with_row_id = true;
    options.with_row_address = true;
    options.blob_handling = BlobHandling::kValues;
    options.output_encodings = WidestEncodings(snapshot_->manifest().schema);
    ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(snapshot_, options));
    uint64_t count = 0;
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(scan->ReadNext(&batch));
      if (batch == nullptr) return count;
      auto rows = static_cast<size_t>(batch->num_rows());
      int ids = schema_->num_fields();
      const auto& row_ids = static_cast<const arrow::UInt64Array&>(*batch->column(ids));
      const auto& addresses = static_cast<const arrow::UInt64Array&>(*batch->column(ids + 1));
      auto updated = Update(*batch);
      if (!updated.ok()) return InTable(updated.status(), addresses);
      ARROW_RETURN_NOT_OK(rewrite->Move(*updated, std::span(row_ids.raw_values(), rows)));
      for (size_t row = 0; row < rows; ++row) {
        rewrite->Delete(RowAddress{addresses.Value(static_cast<int64_t>(row))});
      }
      count += rows;
    }
  }

  /// `batch` ends with columns that are no data.
  Result<std::shared_ptr<arrow::RecordBatch>> Update(const arrow::RecordBatch& batch) const {
    auto columns = batch.columns();
    columns.resize(static_cast<size_t>(schema_->num_fields()));
    auto before = arrow::RecordBatch::Make(schema_, batch.num_rows(), columns);
    for (const Assignment& assignment : assignments_) {
      ARROW_ASSIGN_OR_RAISE(columns[static_cast<size_t>(assignment.column)],
                            ValueOf(assignment, *before));
    }
    return arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(columns));
  }

  Result<std::shared_ptr<arrow::Array>> ValueOf(const Assignment& assignment,
                                                const arrow::RecordBatch& row) const {
    ARROW_ASSIGN_OR_RAISE(auto value, query::Evaluate(*assignment.value, row, context_.pool()));
    const auto& field = schema_->field(assignment.column);
    const Field& stored =
        snapshot_->manifest().schema.fields[static_cast<size_t>(assignment.column)];
    if (!IsJson(stored)) return CastTo(*field, value);
    const bool is_text = arrow::is_string(value->type_id());
    if (!is_text) {
      ARROW_ASSIGN_OR_RAISE(value, CastTo(*field, value));
    }
    auto encoded = snapshot_->manifest().has_semantic_types()
                       ? EncodeGivenJson(value, context_.pool())
                       : EncodeJson(value, context_.pool());
    if (!encoded.ok()) return WithPlace(encoded.status(), {.field = stored.name});
    return encoded;
  }

  Result<std::shared_ptr<arrow::Array>> CastTo(const arrow::Field& field,
                                               const std::shared_ptr<arrow::Array>& value) const {
    if (value->type()->Equals(field.type())) return value;
    arrow::compute::ExecContext exec(context_.pool());
    auto cast =
        arrow::compute::Cast(value, field.type(), arrow::compute::CastOptions::Safe(), &exec);
    if (cast.ok()) return cast->make_array();
    return UserError("the value for column '", field.name(), "' of type ",
                     value->type()->ToString(), " can't become ", field.type()->ToString(), ": ",
                     cast.status().message());
  }

  /// The row of an error among those of the table.
  Status InTable(const Status& status, const arrow::UInt64Array& addresses) const {
    const ErrorDetail* detail = GetErrorDetail(status);
    if (detail == nullptr || !detail->place.row) return status;
    const uint64_t address = addresses.Value(*detail->place.row);
    ARROW_ASSIGN_OR_RAISE(const auto positions,
                          PositionsOf(*snapshot_, RowKey::kAddress, std::span(&address, 1)));
    ErrorPlace place = detail->place;
    place.row = static_cast<int64_t>(positions[0]);
    return MakeError(detail->code, status.message(), std::move(place));
  }

  /// The columns that are set, with all fields below them.
  std::vector<int32_t> UpdatedFields() const {
    Schema updated;
    for (const Assignment& assignment : assignments_) {
      updated.fields.push_back(
          snapshot_->manifest().schema.fields[static_cast<size_t>(assignment.column)]);
    }
    std::vector<int32_t> ids;
    for (const Field* field : updated.PreOrder()) ids.push_back(field->id);
    return ids;
  }

  std::shared_ptr<const Snapshot> snapshot_;
  Context context_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<Assignment> assignments_;
};

}  // namespace

Result<UpdatedRows> UpdateRows(std::shared_ptr<const Snapshot> snapshot,
                               const std::map<std::string, std::string>& updates,
                               const std::optional<std::string>& where,
                               const RowRewriteOptions& options) {
  Updater updater(std::move(snapshot));
  ARROW_RETURN_NOT_OK(updater.Bind(updates));
  return updater.Run(where, options);
}

Status CheckUpdates(const Snapshot& snapshot, const std::map<std::string, std::string>& updates) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  ARROW_ASSIGN_OR_RAISE(auto schema, RewriteSchema(snapshot.manifest().schema).ToArrow());
  return BindAll(snapshot.manifest().schema, *schema, updates).status();
}

}  // namespace lance
