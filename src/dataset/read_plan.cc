#include "dataset/read_plan.h"

#include <algorithm>
#include <set>

#include "arrow/api.h"
#include "dataset/array_types.h"
#include "dataset/json_values.h"
#include "dataset/leaf_changes.h"
#include "query/expr/binder.h"
#include "query/expr/evaluate.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/nullability.h"

namespace lance {
namespace {

// In this order behind the columns of the table.
constexpr VirtualColumn kVirtualColumns[] = {
    VirtualColumn::kRowId, VirtualColumn::kRowAddress, VirtualColumn::kCreatedAtVersion,
    VirtualColumn::kLastUpdatedAtVersion, VirtualColumn::kRowOffset};

std::string QuotedPart(const std::string& name) {
  return name.find_first_of(".`") == std::string::npos ? name : InBackTicks(name);
}

/// Names of a column and of the members on the way to it.
std::vector<std::string> NamesOnPath(const arrow::Schema& schema, const query::ColumnPath& path) {
  std::shared_ptr<arrow::Field> field = schema.field(path.indexes[0]);
  std::vector<std::string> names = {field->name()};
  for (size_t i = 1; i < path.indexes.size(); ++i) {
    field = query::PlainType(field->type())->field(path.indexes[i]);
    names.push_back(field->name());
  }
  return names;
}

/// The name by which a projection finds a column: `a`, `a.b`.
std::string NameOf(const arrow::Schema& schema, const query::ColumnPath& path) {
  std::vector<std::string> names = NamesOnPath(schema, path);
  if (names.size() == 1) return names[0];
  std::string name;
  for (const std::string& part : names) name += (name.empty() ? "" : ".") + QuotedPart(part);
  return name;
}

/// Where the column of one schema is in another that has it by the same names.
query::ColumnPath PlaceIn(const arrow::Schema& target, const arrow::Schema& schema,
                          const query::ColumnPath& path) {
  std::vector<std::string> names = NamesOnPath(schema, path);
  query::ColumnPath place{{target.GetFieldIndex(names[0])}};
  std::shared_ptr<arrow::DataType> type = target.field(place.indexes[0])->type();
  for (size_t i = 1; i < names.size(); ++i) {
    type = query::PlainType(type);
    const auto& members = static_cast<const arrow::StructType&>(*type);
    place.indexes.push_back(members.GetFieldIndex(names[i]));
    type = members.field(place.indexes.back())->type();
  }
  return place;
}

/// The expression over a schema that has just the columns that are read.
query::ExprPtr Moved(const arrow::Schema& columns, const arrow::Schema& target,
                     const query::ExprPtr& expr) {
  return query::MoveColumns(
      expr, [&](const query::ColumnPath& path) { return PlaceIn(target, columns, path); });
}

bool IsPrefix(const query::ColumnPath& prefix, const query::ColumnPath& path) {
  return prefix.indexes.size() < path.indexes.size() &&
         std::equal(prefix.indexes.begin(), prefix.indexes.end(), path.indexes.begin());
}

/// Names of the columns that expressions read; what is part of another is left out.
std::vector<std::string> NamesRead(const arrow::Schema& schema,
                                   const std::vector<query::ExprPtr>& exprs) {
  std::set<query::ColumnPath> paths;
  for (const query::ExprPtr& expr : exprs) {
    for (query::ColumnPath& path : query::ReferencedColumns(*expr)) paths.insert(std::move(path));
  }
  std::vector<std::string> names;
  const query::ColumnPath* last = nullptr;
  // A path comes right before those that it is a prefix of.
  for (const query::ColumnPath& path : paths) {
    if (last != nullptr && IsPrefix(*last, path)) continue;
    last = &path;
    names.push_back(NameOf(schema, path));
  }
  return names;
}

/// The physical rows at `kept` places of the rows of some ranges.
std::vector<RowRange> PickRows(const std::vector<RowRange>& rows,
                               const std::vector<int64_t>& kept) {
  std::vector<RowRange> picked;
  size_t range = 0;
  uint64_t before = 0;  // rows in the ranges before
  for (int64_t place : kept) {
    auto at = static_cast<uint64_t>(place);
    while (at - before >= rows[range].count) before += rows[range++].count;
    uint64_t row = rows[range].start + (at - before);
    if (!picked.empty() && picked.back().end() == row) {
      ++picked.back().count;
    } else {
      picked.push_back({row, 1});
    }
  }
  return picked;
}

/// Keeps the first rows only.
void CutTo(uint64_t most_rows, std::vector<RowRange>* rows) {
  for (size_t i = 0; i < rows->size(); ++i) {
    RowRange& range = (*rows)[i];
    range.count = std::min(range.count, most_rows);
    most_rows -= range.count;
    if (most_rows > 0) continue;
    rows->resize(range.count > 0 ? i + 1 : i);
    return;
  }
}

}  // namespace

struct ReadPlan::Builder {
  const Snapshot& snapshot;
  const ScanOptions& options;
  const RowForm form;
  std::shared_ptr<ReadPlan> plan;

  Status Run(const query::ExprPtr& filter) {
    if (filter != nullptr) ARROW_RETURN_NOT_OK(PlanFilter(filter));
    return options.expressions ? PlanExpressions(*options.expressions) : PlanColumns();
  }

  Status PlanFilter(const query::ExprPtr& filter) {
    // Conditions see where blobs are, not their bytes.
    ARROW_ASSIGN_OR_RAISE(auto columns, ExpressionSchema(snapshot, BlobHandling::kDescriptions,
                                                         options.output_encodings));
    ARROW_ASSIGN_OR_RAISE(plan->filter_selection_,
                          snapshot.Select({.columns = NamesRead(*columns, {filter}),
                                           .path_style = PathStyle::kNested,
                                           .output_encodings = options.output_encodings,
                                           .deleted_are_null = options.include_deleted_rows}));
    plan->filter_ = Moved(*columns, *plan->filter_selection_->output_schema, filter);
    return Status::OK();
  }

  /// The columns of the request, as they are.
  Status PlanColumns() {
    ARROW_ASSIGN_OR_RAISE(auto whole,
                          snapshot.Select({.columns = options.columns,
                                           .with_row_id = options.with_row_id,
                                           .with_row_address = options.with_row_address,
                                           .path_style = PathStyle::kFlat,
                                           .blob_handling = options.blob_handling,
                                           .output_encodings = options.output_encodings,
                                           .deleted_are_null = options.include_deleted_rows}));
    plan->output_schema_ = whole->output_schema;
    if (form == RowForm::kOutput) plan->finisher_ = whole->finisher;
    if (plan->filter_ == nullptr) {
      plan->selection_ = std::move(whole);
      plan->source_schema_ = plan->output_schema_;
      plan->output_is_source_ = true;
      return Status::OK();
    }
    std::vector<std::string> names;
    for (const auto& field : whole->output_schema->fields()) names.push_back(field->name());
    ARROW_RETURN_NOT_OK(PlanSource(names, *plan->output_schema_, PathStyle::kFlat));
    for (const std::string& name : names) {
      plan->picked_.push_back(plan->source_schema_->GetFieldIndex(name));
    }
    return Status::OK();
  }

  Status PlanExpressions(const std::vector<std::pair<std::string, std::string>>& expressions) {
    if (options.columns) return UserError("give either columns or expressions, not both");
    std::vector<std::pair<std::string, std::string>> wanted = expressions;
    auto add_virtual = [&](VirtualColumn column) {
      std::string name(VirtualColumnName(column));
      bool is_there = std::any_of(wanted.begin(), wanted.end(),
                                  [&](const auto& entry) { return entry.first == name; });
      if (!is_there) wanted.emplace_back(name, name);
    };
    if (options.with_row_id) add_virtual(VirtualColumn::kRowId);
    if (options.with_row_address) add_virtual(VirtualColumn::kRowAddress);
    ARROW_ASSIGN_OR_RAISE(
        auto columns, ExpressionSchema(snapshot, options.blob_handling, options.output_encodings));
    std::set<std::string> names;
    std::vector<query::ExprPtr> bound;
    for (const auto& [name, sql] : wanted) {
      if (!names.insert(name).second) return UserError("column '", name, "' is named twice");
      ARROW_ASSIGN_OR_RAISE(auto expr, query::BindSql(sql, *columns));
      bound.push_back(std::move(expr));
    }
    ARROW_RETURN_NOT_OK(PlanSource(NamesRead(*columns, bound), *columns, PathStyle::kNested));
    arrow::FieldVector fields;
    for (size_t i = 0; i < wanted.size(); ++i) {
      fields.push_back(
          arrow::field(wanted[i].first, bound[i]->type, query::MayBeNull(*bound[i], *columns)));
      plan->computed_.push_back(Moved(*columns, *plan->source_schema_, bound[i]));
    }
    plan->output_schema_ = arrow::schema(std::move(fields));
    return form == RowForm::kOutput ? FinishExpressions(bound) : Status::OK();
  }

  /// What is just a column comes as it does without an expression: with semantic types in its
  /// output encoding, else JSON as text.
  Status FinishExpressions(const std::vector<query::ExprPtr>& bound) {
    const bool semantic_types = snapshot.manifest().schema.semantic_types;
    ARROW_ASSIGN_OR_RAISE(auto all,
                          snapshot.Select({.blob_handling = options.blob_handling,
                                           .output_encodings = options.output_encodings}));
    std::vector<std::optional<Field>> fields;
    for (const query::ExprPtr& expr : bound) {
      auto& field = fields.emplace_back();
      if (expr->kind != query::ExprKind::kColumn) continue;
      const std::vector<int>& path = expr->column.indexes;
      const auto top = static_cast<size_t>(path[0]);
      if (top >= all->output_fields.size()) continue;
      field = all->output_fields[top];
      for (size_t i = 1; field && i < path.size(); ++i) {
        Field member = field->children[static_cast<size_t>(path[i])];
        field = std::move(member);
      }
      if (!semantic_types && field && !HoldsLeaf(*field, IsJson)) field.reset();
    }
    return BatchFinisher::Make(plan->output_schema_, std::move(fields), semantic_types)
        .Value(&plan->finisher_);
  }

  /// Divides columns into those that the filter has read already, and the others. `columns` has
  /// those that may be taken from the filter as they are wanted.
  Status PlanSource(const std::vector<std::string>& names, const arrow::Schema& columns,
                    PathStyle style) {
    arrow::FieldVector fields;
    std::vector<std::string> missing;
    for (const std::string& name : names) {
      int index = plan->filter_ != nullptr ? FindInFilter(columns.GetFieldByName(name)) : -1;
      if (index < 0) {
        missing.push_back(name);
        continue;
      }
      plan->reused_.push_back(index);
      fields.push_back(plan->filter_selection_->output_schema->field(index));
    }
    ARROW_ASSIGN_OR_RAISE(plan->selection_,
                          snapshot.Select({.columns = std::move(missing),
                                           .path_style = style,
                                           .blob_handling = options.blob_handling,
                                           .output_encodings = options.output_encodings,
                                           .deleted_are_null = options.include_deleted_rows}));
    const auto& read = plan->selection_->output_schema->fields();
    fields.insert(fields.end(), read.begin(), read.end());
    plan->source_schema_ = arrow::schema(std::move(fields));
    return Status::OK();
  }

  /// A column of the filter's that is just like the wanted one, or -1.
  int FindInFilter(const std::shared_ptr<arrow::Field>& wanted) const {
    if (wanted == nullptr) return -1;
    const arrow::Schema& schema = *plan->filter_selection_->output_schema;
    int index = schema.GetFieldIndex(wanted->name());
    return index >= 0 && schema.field(index)->type()->Equals(*wanted->type()) ? index : -1;
  }
};

Result<std::shared_ptr<arrow::Schema>> ExpressionSchema(const Snapshot& snapshot,
                                                        BlobHandling blob_handling,
                                                        const OutputEncodings& output_encodings) {
  ARROW_ASSIGN_OR_RAISE(auto stored, snapshot.Select({.blob_handling = blob_handling,
                                                      .output_encodings = output_encodings}));
  arrow::FieldVector fields = stored->output_schema->fields();
  for (VirtualColumn column : kVirtualColumns) {
    fields.push_back(arrow::field(std::string(VirtualColumnName(column)), arrow::uint64()));
  }
  return arrow::schema(std::move(fields));
}

Result<std::shared_ptr<const ReadPlan>> ReadPlan::Make(const Snapshot& snapshot,
                                                       const ScanOptions& options,
                                                       const query::ExprPtr& filter, RowForm form) {
  Builder builder{snapshot, options, form, std::shared_ptr<ReadPlan>(new ReadPlan)};
  ARROW_RETURN_NOT_OK(builder.Run(filter));
  ReadPlan& plan = *builder.plan;
  plan.reads_deleted_ = options.include_deleted_rows;
  plan.made_schema_ = plan.output_schema_;
  if (plan.finisher_ != nullptr) plan.output_schema_ = plan.finisher_->schema();
  return builder.plan;
}

Result<std::shared_ptr<arrow::RecordBatch>> ReadPlan::Read(const ReadTarget& target,
                                                           std::vector<RowRange> rows,
                                                           uint64_t most_rows,
                                                           ReadMetrics* metrics) const {
  if (filter_ != nullptr) return ReadKept(target, std::move(rows), most_rows, metrics);
  CutTo(most_rows, &rows);
  if (rows.empty()) return EmptyBatch(output_schema_, target.context.pool());
  ARROW_ASSIGN_OR_RAISE(auto batch, ReadColumns(target, selection_, rows, &metrics->first));
  return MakeOutput(target.context, batch, &metrics->output);
}

Result<std::shared_ptr<arrow::RecordBatch>> ReadPlan::ReadKept(const ReadTarget& target,
                                                               std::vector<RowRange> rows,
                                                               uint64_t most_rows,
                                                               ReadMetrics* metrics) const {
  arrow::MemoryPool* pool = target.context.pool();
  if (rows.empty()) return EmptyBatch(output_schema_, pool);
  ARROW_ASSIGN_OR_RAISE(auto tested, ReadColumns(target, filter_selection_, rows, &metrics->first));
  ARROW_ASSIGN_OR_RAISE(auto kept, KeptRows(*tested, most_rows, pool, &metrics->filter));
  if (kept.empty()) return EmptyBatch(output_schema_, pool);
  bool keeps_all = static_cast<int64_t>(kept.size()) == tested->num_rows();
  arrow::ArrayVector columns;
  for (int index : reused_) {
    std::shared_ptr<arrow::Array> column = tested->column(index);
    if (!keeps_all) {
      ARROW_ASSIGN_OR_RAISE(column, query::Gather(pool, column, kept));
    }
    columns.push_back(std::move(column));
  }
  if (reads_kept_rows()) {
    const bool reads_all = keeps_all || ReadsAll(kept.size(), tested->num_rows());
    if (!reads_all) rows = PickRows(rows, kept);
    ARROW_ASSIGN_OR_RAISE(auto rest, ReadColumns(target, selection_, rows, &metrics->rest));
    for (std::shared_ptr<arrow::Array> column : rest->columns()) {
      if (reads_all && !keeps_all) {
        ARROW_ASSIGN_OR_RAISE(column, query::Gather(pool, column, kept));
      }
      columns.push_back(std::move(column));
    }
  }
  auto source = arrow::RecordBatch::Make(source_schema_, static_cast<int64_t>(kept.size()),
                                         std::move(columns));
  return MakeOutput(target.context, source, &metrics->output);
}

bool ReadPlan::ReadsAll(size_t kept, int64_t rows) const {
  // Decoding a single row costs as much as some dozen in one go; less so where values are long.
  constexpr double kWorthwhileShare = 1.0 / 16;
  constexpr double kWorthwhileShareOfLongValues = 3.0 / 4;
  const auto& fields = selection_->output_schema->fields();
  const bool is_narrow = std::all_of(fields.begin(), fields.end(), [](const auto& field) {
    return arrow::is_primitive(field->type()->id()) || arrow::is_decimal(field->type()->id());
  });
  const double share = is_narrow ? kWorthwhileShare : kWorthwhileShareOfLongValues;
  return static_cast<double>(kept) >= share * static_cast<double>(rows);
}

Result<std::vector<int64_t>> ReadPlan::KeptRows(const arrow::RecordBatch& tested,
                                                uint64_t most_rows, arrow::MemoryPool* pool,
                                                StepMetrics* metrics) const {
  StepTimer timer(metrics);
  ARROW_ASSIGN_OR_RAISE(auto kept, query::MatchingRows(*filter_, tested, pool));
  if (kept.size() > most_rows) kept.resize(most_rows);
  timer.AddRows(kept.size());
  return kept;
}

Result<std::shared_ptr<arrow::RecordBatch>> ReadPlan::ReadColumns(
    const ReadTarget& target, const std::shared_ptr<const ColumnSelection>& selection,
    const std::vector<RowRange>& rows, StepMetrics* metrics) {
  CountedReads counted(target.context, metrics);
  ARROW_ASSIGN_OR_RAISE(
      auto reader, target.snapshot.OpenFragment(counted.context(), selection, target.fragment));
  ARROW_ASSIGN_OR_RAISE(auto batch, reader->Read(counted.context(), rows));
  counted.AddRows(static_cast<uint64_t>(batch->num_rows()));
  return batch;
}

Result<std::shared_ptr<arrow::RecordBatch>> ReadPlan::MakeOutput(
    const Context& context, const std::shared_ptr<arrow::RecordBatch>& source,
    StepMetrics* metrics) const {
  if (output_is_source_ && finisher_ == nullptr) return source;
  StepTimer timer(metrics);
  timer.AddRows(static_cast<uint64_t>(source->num_rows()));
  if (output_is_source_) return FinishBatch(finisher_.get(), source, context.pool());
  arrow::ArrayVector columns;
  for (int index : picked_) columns.push_back(source->column(index));
  for (const query::ExprPtr& expr : computed_) {
    ARROW_ASSIGN_OR_RAISE(auto column, query::Evaluate(*expr, *source, context.pool()));
    columns.push_back(std::move(column));
  }
  auto made = arrow::RecordBatch::Make(made_schema_, source->num_rows(), std::move(columns));
  return FinishBatch(finisher_.get(), std::move(made), context.pool());
}

}  // namespace lance
