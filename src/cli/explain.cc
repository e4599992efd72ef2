// The verb that shows how a scan is done: explain.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/value.h"

namespace lance::cli {
namespace {

using Json = nlohmann::ordered_json;

Json NodeToJson(const PlanNode& node) {
  Json json;
  json["step"] = node.step;
  Json details = Json::object();
  for (const auto* list : {&node.details, &node.more_details}) {
    for (const PlanDetail& detail : *list) details[detail.name] = detail.value;
  }
  json["details"] = std::move(details);
  if (node.metrics) {
    json["metrics"] = {{"rows", node.metrics->rows},
                       {"reads", node.metrics->reads},
                       {"read_bytes", node.metrics->read_bytes},
                       {"nanoseconds", node.metrics->nanoseconds}};
  }
  json["inputs"] = Json::array();
  for (const PlanNode& input : node.inputs) json["inputs"].push_back(NodeToJson(input));
  return json;
}

}  // namespace

Status RunExplain(const ExplainArguments& arguments) {
  const RowsArguments& rows = arguments.rows;
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(rows.table));
  ScanOptions options;
  options.columns = SplitColumns(rows.columns);
  options.filter = rows.filter;
  options.limit = arguments.limit;
  ARROW_ASSIGN_OR_RAISE(PlanNode plan, arguments.analyze ? dataset->AnalyzeScan(options)
                                                         : dataset->ExplainScan(options));
  if (rows.table.json) {
    Print(ToDocument({{"version", dataset->version()}, {"plan", NodeToJson(plan)}}));
  } else {
    Print(PlanToText(plan));
  }
  return Status::OK();
}

}  // namespace lance::cli
