#include "safety/history.h"

#include <algorithm>

#include "arrow/api.h"
#include "dataset/scan.h"
#include "safety/contents.h"
#include "safety/serial_order.h"
#include "safety/writer.h"
#include "table/transaction.h"

namespace lance::safety {
namespace {

/// The columns behind those of the table.
constexpr std::array<const char*, 4> kSystemColumns = {
    "_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version"};

Result<std::shared_ptr<arrow::RecordBatch>> Scan(const std::shared_ptr<const Snapshot>& snapshot) {
  ScanOptions options;
  options.columns.emplace();
  for (const Field& field : snapshot->manifest().schema.fields) {
    options.columns->push_back(field.name);
  }
  options.columns->insert(options.columns->end(), kSystemColumns.begin(), kSystemColumns.end());
  ARROW_ASSIGN_OR_RAISE(auto table, ScanTable(snapshot, options));
  return table->CombineChunksToBatch();
}

std::optional<int64_t> Value(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return std::nullopt;
  if (array.type_id() == arrow::Type::INT32) {
    return static_cast<const arrow::Int32Array&>(array).Value(row);
  }
  return static_cast<const arrow::Int64Array&>(array).Value(row);
}

uint64_t Number(const arrow::RecordBatch& batch, int column, int64_t row) {
  return static_cast<const arrow::UInt64Array&>(*batch.column(column)).Value(row);
}

/// A row of a scan, under the model's columns.
ModelRow RowAt(const arrow::RecordBatch& batch, int64_t row, const ModelVersion& expected) {
  ModelRow found;
  auto columns = static_cast<int>(expected.columns.size());
  for (int i = 0; i < columns; ++i) {
    found.values[expected.columns[static_cast<size_t>(i)].column] = Value(*batch.column(i), row);
  }
  found.id = Number(batch, columns, row);
  found.address = Number(batch, columns + 1, row);
  if (expected.stable_row_ids) {
    found.created = Number(batch, columns + 2, row);
    found.updated = Number(batch, columns + 3, row);
  }
  return found;
}

/// Without what no scan shows.
ModelRow Visible(const ModelRow& row, const ModelVersion& version) {
  ModelRow visible;
  for (const ModelColumn& column : version.columns) {
    visible.values[column.column] = row.values[column.column];
  }
  visible.id = row.id;
  visible.address = row.address;
  if (version.stable_row_ids) {
    visible.created = row.created;
    visible.updated = row.updated;
  }
  return visible;
}

std::string TextOf(const ModelRow& row, const ModelVersion& version) {
  std::string text = "{";
  for (const ModelColumn& column : version.columns) {
    const auto& value = row.values[column.column];
    text += column.name + "=" + (value ? std::to_string(*value) : "null") + " ";
  }
  return text + "address=" + std::to_string(row.address >> 32) + "/" +
         std::to_string(row.address & 0xffffffff) + " id=" + std::to_string(row.id) +
         " created=" + std::to_string(row.created) + " updated=" + std::to_string(row.updated) +
         "}";
}

std::string TextOf(const std::vector<ModelRow>& rows, const ModelVersion& version) {
  std::string text;
  for (const ModelRow& row : rows) text += "\n    " + TextOf(row, version);
  return text;
}

Result<Transaction> TransactionOf(const ManifestFile& file) {
  Context context;
  // In the manifest's own bytes.
  auto store = MakeMemoryStore();
  ARROW_ASSIGN_OR_RAISE(auto bytes, file.ReadTransactionSection(context, *store));
  if (!bytes) return IoError("version ", file.version(), " has no transaction");
  return DecodeTransaction(AsBytes(*bytes));
}

/// A failure that says that there was no effect.
bool MayFailWith(const Status& status, const Program& program) {
  switch (GetErrorCode(status)) {
    case ErrorCode::kRetryableConflict:
    case ErrorCode::kIncompatibleConflict:
    case ErrorCode::kUserInput:
    case ErrorCode::kAlreadyExists:
      return true;
    case ErrorCode::kNotFound:
      return program.cleans_up;
    default:
      return false;
  }
}

/// What only the transaction tells of an operation.
Status CompleteOutcome(const Transaction& transaction, const Operation& operation,
                       const std::vector<ModelVersion>& versions, Outcome* outcome) {
  if (operation.kind == OperationKind::kAppend) {
    outcome->base = transaction.read_version();
    for (const std::string& name : outcome->more_names) {
      const ModelColumn* column = versions[outcome->base].Find(name);
      if (column == nullptr) return IoError("appends to column ", name, " that is not there");
      outcome->more_columns.push_back(column->column);
    }
  }
  if (operation.kind != OperationKind::kCompact) return Status::OK();
  outcome->base = transaction.read_version();
  for (const auto& group : transaction.rewrite().groups()) {
    auto& ids = outcome->groups.emplace_back();
    for (const auto& fragment : group.old_fragments()) ids.old_ids.push_back(fragment.id());
    for (const auto& fragment : group.new_fragments()) ids.new_ids.push_back(fragment.id());
  }
  return Status::OK();
}

Status At(uint64_t version, const Status& status) {
  if (status.ok()) return status;
  return IoError("version ", version, ": ", status.ToString());
}

}  // namespace

History::History(const TableLocation& table, const Program& program, const Manifests& manifests,
                 std::vector<Step> steps)
    : handle_{"memory://table", table, std::make_shared<TableSession>()},
      program_(program),
      manifests_(manifests),
      steps_(std::move(steps)) {}

Status History::Check() {
  ARROW_RETURN_NOT_OK(CheckOutcomes());
  for (const auto& [version, manifest] : manifests_) {
    if (version != versions_.size()) return IoError("there is no version ", versions_.size());
    ARROW_ASSIGN_OR_RAISE(Transaction transaction, TransactionOf(*manifest));
    auto maker = makers_.find(version);
    if (maker != makers_.end()) {
      ARROW_RETURN_NOT_OK(At(version, CompleteOutcome(transaction, *maker->second->operation,
                                                      versions_, &maker->second->outcome)));
    }
    auto expected = Expect(*manifest);
    ARROW_RETURN_NOT_OK(At(version, expected.status()));
    versions_.push_back(*std::move(expected));
  }
  ARROW_ASSIGN_OR_RAISE(auto locations, handle_.Versions());
  for (const ManifestLocation& location : locations) {
    ARROW_ASSIGN_OR_RAISE(auto snapshot, handle_.Open(location));
    ARROW_RETURN_NOT_OK(At(location.version, CheckContents(snapshot)));
  }
  if (locations.empty() || locations.back().version + 1 != versions_.size()) {
    return IoError("the last version is gone");
  }
  ARROW_RETURN_NOT_OK(CheckSerialOrder());
  ARROW_RETURN_NOT_OK(CheckTags());
  ARROW_RETURN_NOT_OK(CheckLeftovers(handle_.table));
  ARROW_ASSIGN_OR_RAISE(auto newest, handle_.OpenNewest());
  return At(newest->manifest().version(), CheckContents(newest));
}

Status History::CheckSerialOrder() const {
  std::vector<const Step*> made;
  for (const auto& [version, step] : makers_) {
    // Rows that it finds and leaves alone may be changed by others: that is no conflict.
    MergeStyle style = step->operation->merge;
    bool leaves_alone = style == MergeStyle::kInsertOnly || style == MergeStyle::kUpdateIfGreater;
    if (step->operation->kind == OperationKind::kMerge && leaves_alone) return Status::OK();
    made.push_back(step);
  }
  if (FindSerialOrder(made, versions_) != SerialOrder::kNone) return Status::OK();
  return IoError("no order of the operations gives the last version");
}

Status History::CheckTags() const {
  for (const Step& step : steps_) {
    if (step.operation->kind != OperationKind::kTag || !step.outcome.status.ok()) continue;
    ARROW_ASSIGN_OR_RAISE(auto tagged, handle_.OpenTag(TagName(*step.operation)));
    if (tagged->manifest().version() != step.outcome.base) return IoError("a tag has moved");
  }
  return Status::OK();
}

Status History::CheckOutcomes() {
  for (Step& step : steps_) {
    const Outcome& outcome = step.outcome;
    if (!outcome.status.ok()) {
      if (MayFailWith(outcome.status, program_)) continue;
      return IoError(step.operation->ToText(), " failed: ", outcome.status.ToString());
    }
    if (outcome.version == 0) continue;
    if (!makers_.emplace(outcome.version, &step).second) {
      return IoError("two operations say that they made version ", outcome.version);
    }
  }
  return Status::OK();
}

Result<ModelVersion> History::Expect(const ManifestFile& manifest) const {
  uint64_t version = manifest.version();
  if (version == 1) return FirstModelVersion(program_);
  const ModelVersion& previous = versions_.back();
  auto maker = makers_.find(version);
  if (maker != makers_.end()) {
    const Step& step = *maker->second;
    return ApplyToModel(*step.operation, step.outcome, versions_[step.outcome.base], previous,
                        version);
  }
  // A compaction reserves fragment ids first, and may then fail.
  ARROW_ASSIGN_OR_RAISE(Transaction transaction, TransactionOf(manifest));
  if (transaction.has_reserve_fragments()) {
    return Reserve(previous, transaction.reserve_fragments().num_fragments());
  }
  return IoError("nobody says to have made it: ", OperationName(transaction));
}

Status History::CheckContents(const std::shared_ptr<const Snapshot>& snapshot) const {
  const Manifest& manifest = snapshot->manifest();
  const ModelVersion& expected = versions_[manifest.version()];
  std::vector<std::string> names;
  for (const ModelColumn& column : expected.columns) names.push_back(column.name);
  if (manifest.schema.ToArrow().ValueOrDie()->field_names() != names) {
    return IoError("has other columns: ", manifest.schema.ToArrow().ValueOrDie()->ToString());
  }
  const auto& config = manifest.head.config();
  if (std::map<std::string, std::string>(config.begin(), config.end()) != expected.config) {
    return IoError("has another config");
  }
  ARROW_ASSIGN_OR_RAISE(auto batch, Scan(snapshot));
  std::vector<ModelRow> found;
  for (int64_t row = 0; row < batch->num_rows(); ++row) {
    found.push_back(RowAt(*batch, row, expected));
  }
  std::vector<ModelRow> wanted;
  for (const ModelRow& row : expected.rows) wanted.push_back(Visible(row, expected));
  if (found == wanted) return Status::OK();
  return IoError("has the rows", TextOf(found, expected), "\n  instead of",
                 TextOf(wanted, expected));
}

}  // namespace lance::safety
