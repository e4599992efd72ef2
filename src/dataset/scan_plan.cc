#include "dataset/scan_plan.h"

#include <algorithm>
#include <set>

#include "arrow/api.h"
#include "query/expr/binder.h"
#include "query/expr/evaluate.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/substrait.h"

namespace lance {
namespace {

constexpr VirtualColumn kVirtualColumns[] = {VirtualColumn::kRowId, VirtualColumn::kRowAddress,
                                             VirtualColumn::kCreatedAtVersion,
                                             VirtualColumn::kLastUpdatedAtVersion};

/// All columns that an expression may use, as they are read.
Result<std::shared_ptr<arrow::Schema>> ExpressionSchema(const Snapshot& snapshot,
                                                        BlobHandling blob_handling) {
  ARROW_ASSIGN_OR_RAISE(auto stored, snapshot.Select({.blob_handling = blob_handling}));
  arrow::FieldVector fields = stored->output_schema->fields();
  for (VirtualColumn column : kVirtualColumns) {
    fields.push_back(arrow::field(std::string(VirtualColumnName(column)), arrow::uint64()));
  }
  return arrow::schema(std::move(fields));
}

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

Result<std::shared_ptr<FragmentReader>> OpenFor(
    const Context& context, const Snapshot& snapshot,
    const std::shared_ptr<const ColumnSelection>& selection, const Morsel& morsel) {
  ARROW_RETURN_NOT_OK(context.CheckStop());
  ARROW_ASSIGN_OR_RAISE(auto reader,
                        snapshot.OpenFragment(context, selection, morsel.fragment_index));
  if (morsel.live.end() > reader->live_rows()) {
    return Corrupt("fragment ", snapshot.fragments()[morsel.fragment_index].id, " has ",
                   reader->live_rows(), " rows, fewer than its manifest says");
  }
  return reader;
}

}  // namespace

struct ScanPlan::Builder {
  const Snapshot& snapshot;
  const ScanOptions& options;
  std::shared_ptr<ScanPlan> plan;

  Status Run() {
    if (options.filter && options.substrait_filter) {
      return UserError("give either filter or substrait_filter, not both");
    }
    if (options.filter || options.substrait_filter) ARROW_RETURN_NOT_OK(PlanFilter());
    return options.expressions ? PlanExpressions(*options.expressions) : PlanColumns();
  }

  Status PlanFilter() {
    // Conditions see where blobs are, not their bytes.
    ARROW_ASSIGN_OR_RAISE(auto columns, ExpressionSchema(snapshot, BlobHandling::kDescriptions));
    ARROW_ASSIGN_OR_RAISE(auto filter, BindFilter(*columns));
    if (filter->IsLiteral()) {
      plan->is_empty_ = !filter->IsBooleanLiteral(true);
      return Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(plan->filter_selection_,
                          snapshot.Select({.columns = NamesRead(*columns, {filter}),
                                           .path_style = PathStyle::kNested}));
    plan->filter_ = Moved(*columns, *plan->filter_selection_->output_schema, filter);
    return Status::OK();
  }

  Result<query::ExprPtr> BindFilter(const arrow::Schema& columns) const {
    if (options.filter) return query::BindSqlFilter(*options.filter, columns);
    ARROW_ASSIGN_OR_RAISE(auto syntax, query::ParseSubstrait(*options.substrait_filter, columns));
    return query::BindFilter(query::Source::WithoutText(), *syntax, columns);
  }

  /// The columns of the request, as they are.
  Status PlanColumns() {
    ARROW_ASSIGN_OR_RAISE(auto whole, snapshot.Select({.columns = options.columns,
                                                       .with_row_id = options.with_row_id,
                                                       .with_row_address = options.with_row_address,
                                                       .path_style = PathStyle::kFlat,
                                                       .blob_handling = options.blob_handling}));
    plan->output_schema_ = whole->output_schema;
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
    ARROW_ASSIGN_OR_RAISE(auto columns, ExpressionSchema(snapshot, options.blob_handling));
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
      fields.push_back(arrow::field(wanted[i].first, bound[i]->type));
      plan->computed_.push_back(Moved(*columns, *plan->source_schema_, bound[i]));
    }
    plan->output_schema_ = arrow::schema(std::move(fields));
    return Status::OK();
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
                                           .blob_handling = options.blob_handling}));
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

Result<std::shared_ptr<const ScanPlan>> ScanPlan::Make(const Snapshot& snapshot,
                                                       const ScanOptions& options) {
  Builder builder{snapshot, options, std::shared_ptr<ScanPlan>(new ScanPlan)};
  ARROW_RETURN_NOT_OK(builder.Run());
  return builder.plan;
}

Result<std::shared_ptr<arrow::RecordBatch>> ScanPlan::Read(const Context& context,
                                                           const Snapshot& snapshot,
                                                           const Morsel& morsel,
                                                           uint64_t most_rows) const {
  ARROW_ASSIGN_OR_RAISE(auto reader, OpenFor(context, snapshot, first_selection(), morsel));
  std::vector<RowRange> rows;
  reader->AppendPhysicalRanges(morsel.live, &rows);
  if (filter_ != nullptr) return ReadKept(context, snapshot, morsel, std::move(rows), most_rows);
  ARROW_ASSIGN_OR_RAISE(auto batch, reader->Read(context, rows));
  return output_is_source_ ? batch : MakeOutput(context, *batch);
}

Result<std::shared_ptr<arrow::RecordBatch>> ScanPlan::ReadKept(const Context& context,
                                                               const Snapshot& snapshot,
                                                               const Morsel& morsel,
                                                               std::vector<RowRange> rows,
                                                               uint64_t most_rows) const {
  ARROW_ASSIGN_OR_RAISE(auto reader, OpenFor(context, snapshot, filter_selection_, morsel));
  ARROW_ASSIGN_OR_RAISE(auto tested, reader->Read(context, rows));
  ARROW_ASSIGN_OR_RAISE(auto kept, query::MatchingRows(*filter_, *tested, context.pool()));
  if (kept.size() > most_rows) kept.resize(most_rows);
  if (kept.empty()) return arrow::RecordBatch::MakeEmpty(output_schema_, context.pool());
  bool keeps_all = static_cast<int64_t>(kept.size()) == tested->num_rows();
  arrow::ArrayVector columns;
  for (int index : reused_) {
    std::shared_ptr<arrow::Array> column = tested->column(index);
    if (!keeps_all) {
      ARROW_ASSIGN_OR_RAISE(column, query::Gather(context.pool(), column, kept));
    }
    columns.push_back(std::move(column));
  }
  if (!selection_->outputs.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto rest_reader, OpenFor(context, snapshot, selection_, morsel));
    if (!keeps_all) rows = PickRows(rows, kept);
    ARROW_ASSIGN_OR_RAISE(auto rest, rest_reader->Read(context, rows));
    columns.insert(columns.end(), rest->columns().begin(), rest->columns().end());
  }
  auto source = arrow::RecordBatch::Make(source_schema_, static_cast<int64_t>(kept.size()),
                                         std::move(columns));
  return MakeOutput(context, *source);
}

Result<std::shared_ptr<arrow::RecordBatch>> ScanPlan::MakeOutput(
    const Context& context, const arrow::RecordBatch& source) const {
  arrow::ArrayVector columns;
  for (int index : picked_) columns.push_back(source.column(index));
  for (const query::ExprPtr& expr : computed_) {
    ARROW_ASSIGN_OR_RAISE(auto column, query::Evaluate(*expr, source, context.pool()));
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(output_schema_, source.num_rows(), std::move(columns));
}

Result<std::string> SubstraitToSql(const Snapshot& snapshot, const std::string& substrait_filter) {
  ARROW_ASSIGN_OR_RAISE(auto columns, ExpressionSchema(snapshot, BlobHandling::kDescriptions));
  ARROW_ASSIGN_OR_RAISE(auto syntax, query::ParseSubstrait(substrait_filter, *columns));
  ARROW_ASSIGN_OR_RAISE(auto filter,
                        query::BindFilter(query::Source::WithoutText(), *syntax, *columns));
  return query::ToSql(*filter);
}

}  // namespace lance
