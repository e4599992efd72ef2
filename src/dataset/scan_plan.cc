#include "dataset/scan_plan.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "dataset/row_address_index.h"
#include "query/expr/binder.h"
#include "query/expr/substrait.h"

namespace lance {
namespace {

/// Null: all rows.
Result<query::ExprPtr> BindFilter(const Snapshot& snapshot, const ScanOptions& options) {
  if (options.filter && options.substrait_filter) {
    return UserError("give either filter or substrait_filter, not both");
  }
  if (!options.filter && !options.substrait_filter) return query::ExprPtr();
  ARROW_ASSIGN_OR_RAISE(auto columns, ExpressionSchema(snapshot, BlobHandling::kDescriptions,
                                                       options.output_encodings));
  if (options.filter) return query::BindSqlFilter(*options.filter, *columns);
  ARROW_ASSIGN_OR_RAISE(auto syntax, query::ParseSubstrait(*options.substrait_filter, *columns));
  return query::BindFilter(query::Source::WithoutText(), *syntax, *columns);
}

/// They come behind the columns of the table.
bool ReadsVirtualColumns(const Snapshot& snapshot, const query::Expr& filter) {
  const auto stored = static_cast<int>(snapshot.manifest().schema.fields.size());
  const std::vector<query::ColumnPath> columns = query::ReferencedColumns(filter);
  return std::any_of(columns.begin(), columns.end(),
                     [&](const query::ColumnPath& column) { return column.indexes[0] >= stored; });
}

/// Those of the rows that are in a set.
std::vector<RowRange> Within(const std::vector<RowRange>& rows, const query::OffsetSet& wanted) {
  std::vector<RowRange> found;
  if (rows.empty()) return found;
  size_t at = 0;
  for (const query::OffsetRun& run : wanted.Runs(rows.front().start, rows.back().end())) {
    const uint64_t run_end = run.first + run.count;
    while (at < rows.size() && rows[at].end() <= run.first) ++at;
    for (size_t i = at; i < rows.size() && rows[i].start < run_end; ++i) {
      const uint64_t start = std::max(rows[i].start, run.first);
      found.push_back({start, std::min(rows[i].end(), run_end) - start});
    }
  }
  return found;
}

}  // namespace

Result<std::shared_ptr<const ScanPlan>> ScanPlan::Make(const Snapshot& snapshot,
                                                       const ScanOptions& options,
                                                       std::span<const query::IndexPtr> indexes,
                                                       RowForm form) {
  const bool has_row_id =
      options.with_row_id ||
      (options.columns &&
       std::ranges::count(*options.columns, VirtualColumnName(VirtualColumn::kRowId)) > 0);
  if (options.include_deleted_rows && !has_row_id) {
    return UserError(
        "include_deleted_rows is set but with_row_id is false: only a null _rowid "
        "tells which rows are deleted");
  }
  std::shared_ptr<ScanPlan> plan(new ScanPlan);
  plan->reads_deleted_ = options.include_deleted_rows;
  ARROW_ASSIGN_OR_RAISE(plan->mask_, RowMask::Make(options));
  ARROW_ASSIGN_OR_RAISE(plan->filter_, BindFilter(snapshot, options));
  if (plan->filter_ != nullptr && plan->filter_->IsLiteral()) {
    plan->is_empty_ = !plan->filter_->IsBooleanLiteral(true);
    plan->filter_ = nullptr;
  }
  ARROW_ASSIGN_OR_RAISE(plan->whole_, ReadPlan::Make(snapshot, options, plan->filter_, form));
  // Indexes may know nothing about deleted rows.
  if (plan->filter_ == nullptr || plan->reads_deleted_) return plan;
  std::vector<query::IndexPtr> all(indexes.begin(), indexes.end());
  if (ReadsVirtualColumns(snapshot, *plan->filter_)) {
    all.push_back(MakeRowAddressIndex(snapshot.manifest()));
  }
  query::IndexPlan found = query::PlanIndexes(plan->filter_, all);
  plan->search_ = std::move(found.search);
  plan->search_is_exact_ = found.is_exact;
  if (plan->search_ != nullptr) {
    ARROW_ASSIGN_OR_RAISE(plan->narrowed_, ReadPlan::Make(snapshot, options, found.rest, form));
  }
  return plan;
}

Result<std::shared_ptr<const Candidates>> ScanPlan::Search(const Context& context,
                                                           const Snapshot& snapshot,
                                                           const std::vector<size_t>& fragments,
                                                           ScanMetrics* metrics) const {
  if (search_ == nullptr && mask_ == nullptr) return std::shared_ptr<const Candidates>();
  CountedReads counted(context, &metrics->search);
  auto candidates = std::make_shared<Candidates>();
  if (search_ != nullptr) {
    ARROW_ASSIGN_OR_RAISE(query::IndexAnswer answer, search_->Run(counted.context()));
    candidates->searched = search_->Coverage();
    candidates->covered = candidates->searched;
    candidates->rows = answer.possibly();
    candidates->is_exact = answer.is_exact();
  }
  if (mask_ == nullptr) return candidates;
  for (size_t index : fragments) {
    ARROW_ASSIGN_OR_RAISE(auto rows, mask_->RowsOf(counted.context(), snapshot, index));
    const auto id = static_cast<uint32_t>(snapshot.fragments()[index].id);
    if (candidates->searched.contains(id)) rows = And(rows, candidates->rows.Of(id));
    candidates->rows.Set(id, std::move(rows));
    candidates->covered.add(id);
  }
  return candidates;
}

Result<std::shared_ptr<arrow::RecordBatch>> ScanPlan::Read(const Context& context,
                                                           const Snapshot& snapshot,
                                                           const Candidates* candidates,
                                                           const Morsel& morsel, uint64_t most_rows,
                                                           ScanMetrics* metrics) const {
  ARROW_RETURN_NOT_OK(context.CheckStop());
  const size_t fragment = morsel.fragment_index;
  const uint64_t fragment_id = snapshot.fragments()[fragment].id;
  const query::OffsetSet* wanted = candidates == nullptr ? nullptr : candidates->Of(fragment_id);
  const bool is_narrowed = wanted != nullptr && candidates->IsTested(fragment_id);
  const ReadPlan& plan = is_narrowed ? *narrowed_ : *whole_;
  ARROW_ASSIGN_OR_RAISE(auto reader,
                        snapshot.OpenFragment(context, plan.first_selection(), fragment));
  const uint64_t has_rows = reads_deleted_ ? reader->physical_rows() : reader->live_rows();
  if (morsel.rows.end() > has_rows) {
    return Corrupt("fragment ", fragment_id, " has ", has_rows,
                   " rows, fewer than its manifest says");
  }
  std::vector<RowRange> rows;
  if (reads_deleted_) {
    rows.push_back(morsel.rows);
  } else {
    reader->AppendPhysicalRanges(morsel.rows, &rows);
  }
  if (wanted != nullptr) rows = Within(rows, *wanted);
  return plan.Read({context, snapshot, fragment}, std::move(rows), most_rows,
                   is_narrowed ? &metrics->narrowed : &metrics->whole);
}

PlanNode ScanPlan::Describe(const Snapshot& snapshot, const std::vector<size_t>& fragments,
                            const Candidates* candidates, const ScanMetrics* metrics) const {
  PlanNode reads = DescribeReads(snapshot, fragments, candidates, metrics);
  if (mask_ == nullptr) return reads;
  PlanNode* first = &reads;
  while (!first->inputs.empty()) first = &first->inputs[0];
  first->inputs.push_back({.step = "RowList", .details = {{"rows", mask_->ToText()}}});
  return reads;
}

PlanNode ScanPlan::DescribeReads(const Snapshot& snapshot, const std::vector<size_t>& fragments,
                                 const Candidates* candidates, const ScanMetrics* metrics) const {
  const ReadMetrics* of_whole = metrics == nullptr ? nullptr : &metrics->whole;
  if (search_ == nullptr) return whole_->Describe(snapshot, fragments, of_whole);
  std::vector<size_t> covered;
  std::vector<size_t> others = fragments;
  const RoaringBitmap ids = search_->Coverage();
  auto middle = std::stable_partition(others.begin(), others.end(), [&](size_t index) {
    return ids.contains(static_cast<uint32_t>(snapshot.fragments()[index].id));
  });
  covered.assign(others.begin(), middle);
  others.erase(others.begin(), middle);
  PlanNode search{.step = "IndexSearch", .details = {{"query", search_->ToText()}}};
  if (metrics != nullptr) search.metrics = MetricsOf(metrics->search);
  const bool is_exact = candidates != nullptr ? candidates->is_exact : search_is_exact_;
  PlanNode reads = is_exact ? narrowed_->Describe(snapshot, covered,
                                                  metrics == nullptr ? nullptr : &metrics->narrowed)
                            : whole_->Describe(snapshot, fragments, of_whole);
  PlanNode* first = &reads;
  while (!first->inputs.empty()) first = &first->inputs[0];
  first->inputs.push_back(std::move(search));
  if (!is_exact || others.empty()) return reads;
  return {.step = "Union",
          .inputs = {std::move(reads), whole_->Describe(snapshot, others, of_whole)}};
}

Result<std::string> SubstraitToSql(const Snapshot& snapshot, const std::string& substrait_filter) {
  ARROW_ASSIGN_OR_RAISE(auto columns, ExpressionSchema(snapshot, BlobHandling::kDescriptions));
  ARROW_ASSIGN_OR_RAISE(auto syntax, query::ParseSubstrait(substrait_filter, *columns));
  ARROW_ASSIGN_OR_RAISE(auto filter,
                        query::BindFilter(query::Source::WithoutText(), *syntax, *columns));
  return query::ToSql(*filter);
}

}  // namespace lance
