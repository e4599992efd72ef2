#include <cstdio>
#include <string>

#include "lance/dataset.h"

namespace lance {
namespace {

std::string Milliseconds(uint64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ms", static_cast<double>(nanoseconds) / 1e6);
  return text;
}

void AppendNode(const PlanNode& node, bool verbose, size_t depth, std::string* text) {
  constexpr size_t kIndent = 2;
  text->append(depth * kIndent, ' ').append(node.step);
  const char* separator = ": ";
  auto append = [&](const std::string& name, const std::string& value) {
    text->append(separator).append(name).append("=").append(value);
    separator = ", ";
  };
  for (const PlanDetail& detail : node.details) append(detail.name, detail.value);
  if (verbose) {
    for (const PlanDetail& detail : node.more_details) append(detail.name, detail.value);
  }
  if (node.metrics) {
    separator = node.details.empty() ? ": " : "; ";
    append("rows", std::to_string(node.metrics->rows));
    append("reads", std::to_string(node.metrics->reads));
    append("bytes", std::to_string(node.metrics->read_bytes));
    append("time", Milliseconds(node.metrics->nanoseconds));
  }
  text->push_back('\n');
  for (const PlanNode& input : node.inputs) AppendNode(input, verbose, depth + 1, text);
}

}  // namespace

std::string PlanToText(const PlanNode& plan, bool verbose) {
  std::string text;
  AppendNode(plan, verbose, 0, &text);
  return text;
}

}  // namespace lance
