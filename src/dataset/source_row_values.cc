#include "dataset/source_row_values.h"

#include <algorithm>
#include <numeric>

#include "arrow/api.h"
#include "dataset/merge_columns.h"
#include "dataset/prepare_batch.h"
#include "dataset/take.h"
#include "schema/semantic_schema.h"

namespace lance {
namespace {

constexpr char kRowId[] = "_rowid";

const Field* FindById(const std::vector<Field>& fields, int32_t id) {
  auto at = std::find_if(fields.begin(), fields.end(),
                         [&](const Field& field) { return field.id == id; });
  return at == fields.end() ? nullptr : &*at;
}

/// The column of a batch of `selection` that holds what was read of a field.
std::shared_ptr<arrow::Array> ColumnOf(const ColumnSelection& selection, const Field& part,
                                       const arrow::RecordBatch& batch) {
  std::vector<int> path = {static_cast<int>(&part - selection.data.fields.data())};
  for (size_t i = 0; i < selection.outputs.size(); ++i) {
    const OutputColumn& output = selection.outputs[i];
    if (!output.virtual_column && output.path == path) return batch.column(static_cast<int>(i));
  }
  return nullptr;
}

/// An error in one of the rows of the source names it as that.
Result<std::shared_ptr<arrow::RecordBatch>> InSource(
    Result<std::shared_ptr<arrow::RecordBatch>> prepared, std::span<const uint32_t> source_rows) {
  const ErrorDetail* detail = GetErrorDetail(prepared.status());
  if (detail == nullptr || !detail->place.row) return prepared;
  ErrorPlace place = detail->place;
  place.row = source_rows[static_cast<size_t>(*place.row)];
  return MakeError(detail->code, prepared.status().message(), std::move(place));
}

void AddMissing(const std::vector<Field>& all, const std::vector<Field>& some,
                const std::string& prefix, std::vector<std::string>* paths) {
  for (const Field& field : all) {
    std::string path = prefix.empty() ? field.name : prefix + "." + InBackTicks(field.name);
    const Field* found = FindById(some, field.id);
    if (found == nullptr) {
      paths->push_back(std::move(path));
    } else if (field.logical_type == "struct" && !field.IsLeaf()) {
      AddMissing(field.children, found->children, prefix.empty() ? InBackTicks(field.name) : path,
                 paths);
    }
  }
}

}  // namespace

std::vector<std::string> MissingPaths(const Schema& table, const Schema& given) {
  std::vector<std::string> paths;
  AddMissing(table.fields, given.fields, "", &paths);
  return paths;
}

Result<SourceRowValues> SourceRowValues::Make(std::shared_ptr<const Snapshot> snapshot,
                                              const SourceRows* source, AppendMapping mapping) {
  SourceRowValues values;
  values.snapshot_ = std::move(snapshot);
  values.context_ = values.snapshot_->MakeContext();
  values.source_ = source;
  values.mapping_ = std::move(mapping);
  values.source_columns_.resize(values.mapping_.data_schema.fields.size());
  std::iota(values.source_columns_.begin(), values.source_columns_.end(), 0);
  const Manifest& manifest = values.snapshot_->manifest();
  values.rewrite_schema_ = RewriteSchema(manifest.schema);
  ARROW_ASSIGN_OR_RAISE(values.schema_, values.rewrite_schema_.ToArrow());
  values.given_schema_ = WithLayoutsOf(values.rewrite_schema_, values.mapping_.file_schema);
  values.kept_request_ = {.columns = MissingPaths(manifest.schema, values.mapping_.file_schema),
                          .with_row_id = manifest.has_stable_row_ids(),
                          .path_style = PathStyle::kNested,
                          .blob_handling = BlobHandling::kValues,
                          .output_encodings = WidestEncodings(manifest.schema)};
  ARROW_ASSIGN_OR_RAISE(values.kept_, values.snapshot_->Select(values.kept_request_));
  return values;
}

Result<SourceRowValues::OldRows> SourceRowValues::Replace(
    std::span<const uint64_t> positions, std::span<const uint32_t> source_rows) const {
  OldRows rows;
  std::shared_ptr<arrow::RecordBatch> old;
  if (!kept_->outputs.empty()) {
    ARROW_ASSIGN_OR_RAISE(old, TakeRows(*snapshot_, positions, kept_request_));
    if (kept_request_.with_row_id) {
      auto ids = std::static_pointer_cast<arrow::UInt64Array>(old->GetColumnByName(kRowId));
      rows.ids.assign(ids->raw_values(), ids->raw_values() + ids->length());
    }
  }
  ARROW_ASSIGN_OR_RAISE(rows.batch, Combine(source_rows, old.get()));
  return rows;
}

Result<std::shared_ptr<arrow::RecordBatch>> SourceRowValues::Insert(
    std::span<const uint32_t> source_rows) const {
  return Combine(source_rows, nullptr);
}

Result<std::shared_ptr<arrow::RecordBatch>> SourceRowValues::Combine(
    std::span<const uint32_t> source_rows, const arrow::RecordBatch* old) const {
  ARROW_ASSIGN_OR_RAISE(auto taken, source_->Take(source_rows, source_columns_, context_.pool()));
  ARROW_ASSIGN_OR_RAISE(auto given, ArrangeBatch(mapping_, *taken));
  const JsonSource json =
      snapshot_->manifest().has_semantic_types() ? JsonSource::kGiven : JsonSource::kTrusted;
  auto prepared = PrepareBatch(given_schema_, std::move(given), 0, json, context_.pool());
  ARROW_ASSIGN_OR_RAISE(given, InSource(std::move(prepared), source_rows));
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  const auto& table_fields = rewrite_schema_.fields;
  for (size_t i = 0; i < table_fields.size(); ++i) {
    const Field& field = table_fields[i];
    std::vector<ColumnPart> parts;
    const auto& given_fields = mapping_.file_schema.fields;
    if (const Field* part = FindById(given_fields, field.id)) {
      parts.push_back({part, given->column(static_cast<int>(part - given_fields.data()))});
    }
    const Field* part = old != nullptr ? FindById(kept_->data.fields, field.id) : nullptr;
    if (part != nullptr) parts.push_back({part, ColumnOf(*kept_, *part, *old)});
    const auto& arrow_field = schema_->field(static_cast<int>(i));
    ARROW_ASSIGN_OR_RAISE(auto column, MergeColumn(field, arrow_field->type(), parts,
                                                   given->num_rows(), context_.pool()));
    fields.push_back(arrow_field->WithType(column->type()));
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), given->num_rows(),
                                  std::move(columns));
}

}  // namespace lance
