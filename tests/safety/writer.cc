#include "safety/writer.h"

#include <functional>
#include <utility>

#include "arrow/api.h"
#include "dataset/add_columns.h"
#include "dataset/alter_columns.h"
#include "dataset/cleanup.h"
#include "dataset/compact.h"
#include "dataset/compaction_plan.h"
#include "dataset/config_changes.h"
#include "dataset/delete_rows.h"
#include "dataset/drop_columns.h"
#include "dataset/manage_refs.h"
#include "dataset/merge_insert.h"
#include "dataset/restore.h"
#include "dataset/retry_conflicts.h"
#include "dataset/scan.h"
#include "dataset/select_rows.h"
#include "dataset/update_rows.h"
#include "dataset/write_table.h"

namespace lance::safety {
namespace {

using BatchReader = std::shared_ptr<arrow::RecordBatchReader>;

std::shared_ptr<arrow::Array> Numbers(const std::vector<std::optional<int64_t>>& values,
                                      bool is_wide) {
  if (is_wide) {
    arrow::Int64Builder builder;
    for (const auto& value : values) (void)builder.AppendOrNull(value);
    return builder.Finish().ValueOrDie();
  }
  arrow::Int32Builder builder;
  for (const auto& value : values) {
    (void)builder.AppendOrNull(value ? std::optional(static_cast<int32_t>(*value)) : std::nullopt);
  }
  return builder.Finish().ValueOrDie();
}

/// The columns of a source; `more` are further columns, filled with the unique number.
BatchReader SourceReader(const std::vector<SourceRow>& rows, bool whole, bool primary_key,
                         const std::vector<std::shared_ptr<arrow::Field>>& more = {}) {
  std::vector<std::optional<int64_t>> keys;
  std::vector<std::optional<int64_t>> values;
  std::vector<std::optional<int64_t>> uniques;
  for (const SourceRow& row : rows) {
    keys.emplace_back(row.key);
    values.push_back(row.value);
    uniques.emplace_back(row.unique);
  }
  auto key = arrow::field(kKey, arrow::int64(), /*nullable=*/!primary_key);
  if (primary_key) {
    key = key->WithMetadata(
        arrow::key_value_metadata({{"lance-schema:unenforced-primary-key", "true"}}));
  }
  arrow::FieldVector fields = {key, arrow::field(kValue, arrow::int64())};
  arrow::ArrayVector columns = {Numbers(keys, true), Numbers(values, true)};
  if (whole) {
    fields.push_back(arrow::field(kUnique, arrow::int64()));
    columns.push_back(Numbers(uniques, true));
  }
  for (const auto& field : more) {
    fields.push_back(field);
    columns.push_back(Numbers(uniques, field->type()->id() == arrow::Type::INT64));
  }
  auto schema = arrow::schema(fields);
  auto batch = arrow::RecordBatch::Make(schema, static_cast<int64_t>(rows.size()), columns);
  return arrow::RecordBatchReader::Make({batch}, schema).ValueOrDie();
}

bool HasPrimaryKey(const Snapshot& snapshot) {
  return !snapshot.manifest().schema.fields[0].nullable;
}

MergeInsertOptions OptionsOf(const Operation& operation) {
  MergeInsertOptions options;
  options.on = {kKey};
  switch (operation.merge) {
    case MergeStyle::kReplaceBelow:
      options.delete_not_matched_by_source = true;
      options.delete_condition = "k < " + std::to_string(operation.condition.low);
      [[fallthrough]];
    case MergeStyle::kUpsert:
      options.when_matched = WhenMatched::kUpdateAll;
      options.insert_not_matched = true;
      break;
    case MergeStyle::kInsertOnly:
      options.insert_not_matched = true;
      break;
    case MergeStyle::kUpdateOnly:
      options.when_matched = WhenMatched::kUpdateAll;
      break;
    case MergeStyle::kUpdateIfGreater:
      options.when_matched = WhenMatched::kUpdateAll;
      options.update_condition = "source.v > target.v";
      options.insert_not_matched = true;
      break;
    case MergeStyle::kDeleteMatched:
      options.when_matched = WhenMatched::kDelete;
      break;
  }
  return options;
}

}  // namespace

std::string TagName(const Operation& operation) { return "tag" + std::to_string(operation.column); }

Writer::Writer(const TableLocation& table)
    : handle_{"memory://table", table, std::make_shared<TableSession>()} {}

Status Writer::Create(const TableLocation& table, const Program& program) {
  WriteOptions options;
  options.enable_stable_row_ids = program.stable_row_ids;
  options.max_rows_per_file = program.rows_per_file;
  return WriteTable({"memory://table", table, std::make_shared<TableSession>()}, nullptr,
                    SourceReader(program.first_rows, true, program.primary_key,
                                 {arrow::field(kFurther, arrow::int32())}),
                    options)
      .status();
}

Outcome Writer::Run(const Operation& operation) {
  Outcome outcome;
  outcome.status = Start(operation.refresh);
  if (outcome.status.ok()) outcome.status = Do(operation, &outcome);
  return outcome;
}

Status Writer::Start(bool refresh) {
  if (snapshot_ != nullptr && !refresh) return Status::OK();
  return handle_.OpenNewest().Value(&snapshot_);
}

Status Writer::Do(const Operation& operation, Outcome* outcome) {
  outcome->base = snapshot_->manifest().version();
  switch (operation.kind) {
    case OperationKind::kAppend:
      return Append(operation, outcome);
    case OperationKind::kOverwrite:
      return Overwrite(operation, outcome);
    case OperationKind::kDelete:
      return Delete(operation, outcome);
    case OperationKind::kUpdate:
      return Update(operation, outcome);
    case OperationKind::kMerge:
      return Merge(operation, outcome);
    case OperationKind::kAddNullColumn:
    case OperationKind::kAddColumn:
    case OperationKind::kDropColumn:
    case OperationKind::kRenameColumn:
    case OperationKind::kCastColumn:
      return ChangeColumns(operation, outcome);
    case OperationKind::kCompact:
      return Compact(outcome);
    case OperationKind::kRestore:
      return Restore(operation, outcome);
    case OperationKind::kTruncate: {
      auto count = snapshot_->Counts();
      ARROW_RETURN_NOT_OK(count.status());
      outcome->deleted = (*count)->total();
      return Take(DeleteAllRows(*snapshot_), outcome);
    }
    case OperationKind::kSetConfig:
      return SetConfig(operation, outcome);
    case OperationKind::kTag:
      return Tag(operation);
    case OperationKind::kCleanUp:
      return CleanUp();
  }
  return Status::OK();
}

Status Writer::Take(Result<SnapshotPtr> made, Outcome* outcome) {
  ARROW_RETURN_NOT_OK(made.status());
  snapshot_ = *std::move(made);
  outcome->version = snapshot_->manifest().version();
  return Status::OK();
}

Status Writer::Append(const Operation& operation, Outcome* outcome) {
  std::vector<std::shared_ptr<arrow::Field>> more;
  ARROW_ASSIGN_OR_RAISE(auto schema, snapshot_->manifest().schema.ToArrow());
  for (const auto& field : schema->fields()) {
    if (field->name() == kKey || field->name() == kValue || field->name() == kUnique) continue;
    outcome->more_names.push_back(field->name());
    more.push_back(field);
  }
  WriteOptions options;
  options.mode = WriteMode::kAppend;
  return Take(
      WriteTable(handle_, snapshot_,
                 SourceReader(operation.source, true, HasPrimaryKey(*snapshot_), more), options),
      outcome);
}

Status Writer::Overwrite(const Operation& operation, Outcome* outcome) {
  WriteOptions options;
  options.mode = WriteMode::kOverwrite;
  return Take(WriteTable(handle_, snapshot_,
                         SourceReader(operation.source, true, HasPrimaryKey(*snapshot_)), options),
              outcome);
}

Status Writer::Delete(const Operation& operation, Outcome* outcome) {
  auto run = [&](const SnapshotPtr& snapshot) -> Result<SnapshotPtr> {
    outcome->base = snapshot->manifest().version();
    std::string condition = operation.condition.Sql();
    ARROW_ASSIGN_OR_RAISE(auto rows, SelectRows(snapshot, condition));
    outcome->deleted = rows->size();
    return DeleteRows(*snapshot, rows, condition);
  };
  return Take(RetryConflicts(snapshot_, {}, run), outcome);
}

Status Writer::Update(const Operation& operation, Outcome* outcome) {
  auto run = [&](const SnapshotPtr& snapshot) -> Result<SnapshotPtr> {
    outcome->base = snapshot->manifest().version();
    ARROW_ASSIGN_OR_RAISE(
        auto updated, UpdateRows(snapshot, {{kValue, "v + " + std::to_string(operation.number)}},
                                 operation.condition.Sql(), {}));
    outcome->updated = updated.count;
    return updated.snapshot;
  };
  return Take(RetryConflicts(snapshot_, {}, run), outcome);
}

Status Writer::Merge(const Operation& operation, Outcome* outcome) {
  auto reader = SourceReader(operation.source, operation.whole_rows, HasPrimaryKey(*snapshot_));
  ARROW_ASSIGN_OR_RAISE(SourceRows source,
                        SourceRows::Read(reader.get(), arrow::default_memory_pool(), {}));
  MergeInsertOptions options = OptionsOf(operation);
  auto run = [&](const SnapshotPtr& snapshot) -> Result<SnapshotPtr> {
    outcome->base = snapshot->manifest().version();
    ARROW_ASSIGN_OR_RAISE(auto merged, MergeInsertRows(snapshot, source, options));
    outcome->deleted = merged.stats.deleted_rows;
    outcome->updated = merged.stats.updated_rows;
    outcome->inserted = merged.stats.inserted_rows;
    return merged.snapshot;
  };
  return Take(RetryConflicts(snapshot_, {}, run), outcome);
}

Status Writer::ChangeColumns(const Operation& operation, Outcome* outcome) {
  switch (operation.kind) {
    case OperationKind::kAddNullColumn:
      return Take(AddNullColumns(*snapshot_,
                                 *arrow::schema({arrow::field(operation.name, arrow::int32())})),
                  outcome);
    case OperationKind::kAddColumn: {
      ScanOptions keys_only;
      keys_only.columns = {kKey};
      ARROW_ASSIGN_OR_RAISE(auto table, ScanTable(snapshot_, keys_only));
      ARROW_ASSIGN_OR_RAISE(auto keys, table->CombineChunksToBatch());
      const auto& key_values = static_cast<const arrow::Int64Array&>(*keys->column(0));
      std::vector<std::optional<int64_t>> values;
      for (int64_t i = 0; i < keys->num_rows(); ++i) {
        values.emplace_back(operation.number + key_values.Value(i));
      }
      auto schema = arrow::schema({arrow::field(operation.name, arrow::int32())});
      auto batch = arrow::RecordBatch::Make(schema, static_cast<int64_t>(values.size()),
                                            {Numbers(values, /*is_wide=*/false)});
      return Take(AddColumns(*snapshot_, arrow::RecordBatchReader::Make({batch}).ValueOrDie()),
                  outcome);
    }
    case OperationKind::kDropColumn:
      return Take(DropColumns(*snapshot_, {operation.name}), outcome);
    case OperationKind::kRenameColumn:
      return Take(AlterColumns(snapshot_, {{.path = operation.name, .rename = operation.new_name}}),
                  outcome);
    default:
      return Take(AlterColumns(snapshot_, {{.path = operation.name, .data_type = arrow::int64()}}),
                  outcome);
  }
}

Status Writer::Compact(Outcome* outcome) {
  CompactionOptions options;
  ARROW_ASSIGN_OR_RAISE(auto plan, PlanCompaction(*snapshot_, options));
  std::vector<CompactionResult> results;
  for (const CompactionTask& task : plan.tasks) {
    ARROW_ASSIGN_OR_RAISE(results.emplace_back(), RunCompactionTask(snapshot_, task, options, {}));
  }
  if (results.empty()) return Status::OK();
  return Take(CommitCompaction(snapshot_, results), outcome);
}

Status Writer::Restore(const Operation& operation, Outcome* outcome) {
  uint64_t newest = snapshot_->manifest().version();
  uint64_t version = 1 + static_cast<uint64_t>(operation.number) % newest;
  ARROW_ASSIGN_OR_RAISE(auto target, handle_.OpenVersion(version));
  outcome->base = version;
  return Take(RestoreVersion(*target), outcome);
}

Status Writer::SetConfig(const Operation& operation, Outcome* outcome) {
  MetadataChanges changes;
  changes.config.emplace().entries[operation.name] = std::to_string(operation.number);
  return Take(ChangeMetadata(*snapshot_, changes), outcome);
}

Status Writer::Tag(const Operation& operation) {
  return CreateTagOf(*snapshot_, TagName(operation), snapshot_->manifest().version());
}

Status Writer::CleanUp() {
  CleanupPolicy policy;
  policy.retain_versions = 1;
  policy.error_if_tagged_old_versions = false;
  return CleanUpOldVersions(*snapshot_, policy).status();
}

}  // namespace lance::safety
