// What a plan of reads looks like to people.

#include "arrow/type.h"
#include "dataset/read_plan.h"

namespace lance {
namespace {

std::string TypesOf(const arrow::Schema& schema) {
  std::string types;
  for (const auto& field : schema.fields()) {
    types += (types.empty() ? "" : ", ") + field->name() + ": " + field->type()->ToString();
  }
  return "[" + types + "]";
}

PlanNode MakeNode(std::string step, std::vector<PlanDetail> details, const StepMetrics* metrics) {
  PlanNode node{.step = std::move(step), .details = std::move(details)};
  if (metrics != nullptr) node.metrics = MetricsOf(*metrics);
  return node;
}

PlanNode Above(PlanNode node, PlanNode input) {
  node.inputs.push_back(std::move(input));
  return node;
}

}  // namespace

std::string ColumnsText(const arrow::Schema& schema) {
  std::string names;
  for (const std::string& name : schema.field_names()) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return "[" + names + "]";
}

PlanMetrics MetricsOf(const StepMetrics& metrics) {
  return {.rows = metrics.rows,
          .reads = metrics.io.reads,
          .read_bytes = metrics.io.read_bytes,
          .nanoseconds = metrics.nanoseconds};
}

PlanNode ReadPlan::Describe(const Snapshot& snapshot, const std::vector<size_t>& fragments,
                            const ReadMetrics* metrics) const {
  auto of = [&](const StepMetrics ReadMetrics::*step) {
    return metrics == nullptr ? nullptr : &(metrics->*step);
  };
  uint64_t rows = 0;
  for (size_t index : fragments) {
    const FragmentSummary& fragment = snapshot.fragments()[index];
    rows += reads_deleted_ ? fragment.physical_rows : fragment.live_rows();
  }
  PlanNode plan = MakeNode("Read",
                           {{"columns", ColumnsText(*first_selection()->output_schema)},
                            {"fragments", std::to_string(fragments.size())},
                            {"rows", std::to_string(rows)}},
                           of(&ReadMetrics::first));
  plan.more_details = {{"uri", snapshot.uri()},
                       {"version", std::to_string(snapshot.manifest().version())},
                       {"types", TypesOf(*first_selection()->output_schema)}};
  if (filter_ != nullptr) {
    plan =
        Above(MakeNode("Filter", {{"condition", query::ToSql(*filter_)}}, of(&ReadMetrics::filter)),
              std::move(plan));
    if (!selection_->outputs.empty()) {
      PlanNode rest = MakeNode("ReadKept", {{"columns", ColumnsText(*selection_->output_schema)}},
                               of(&ReadMetrics::rest));
      rest.more_details = {{"types", TypesOf(*selection_->output_schema)}};
      plan = Above(std::move(rest), std::move(plan));
    }
  }
  if (output_is_source_) return plan;
  if (computed_.empty()) {
    return Above(
        MakeNode("Project", {{"columns", ColumnsText(*output_schema_)}}, of(&ReadMetrics::output)),
        std::move(plan));
  }
  std::vector<PlanDetail> columns;
  for (size_t i = 0; i < computed_.size(); ++i) {
    columns.push_back(
        {output_schema_->field(static_cast<int>(i))->name(), query::ToSql(*computed_[i])});
  }
  return Above(MakeNode("Compute", std::move(columns), of(&ReadMetrics::output)), std::move(plan));
}

}  // namespace lance
