// The verbs import and export.

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "arrow/record_batch.h"
#include "base/compute_kernels.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/transfer.h"
#include "cli/value.h"

namespace lance::cli {
namespace {

class Timer {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  std::string Text() const {
    char text[32];
    std::snprintf(text, sizeof(text), "%.1f s", Seconds());
    return text;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Status RunImport(const ImportArguments& arguments) {
  Timer timer;
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  ARROW_ASSIGN_OR_RAISE(FileFormat format, FormatOf(arguments.file, arguments.format));
  ARROW_ASSIGN_OR_RAISE(auto source, OpenSource(arguments.file, format));
  auto rows = std::make_shared<uint64_t>(0);
  auto counted = CountRows(std::move(source), arguments.file, rows);
  auto written = Dataset::Write(arguments.uri, counted, arguments.write);
  counted.reset();
  ARROW_ASSIGN_OR_RAISE(auto dataset, written);
  if (arguments.json) {
    ARROW_ASSIGN_OR_RAISE(uint64_t total, dataset->CountRows());
    Print(ToDocument({{"uri", dataset->uri()},
                      {"version", dataset->version()},
                      {"imported_rows", *rows},
                      {"rows", total},
                      {"seconds", timer.Seconds()}}));
  } else {
    Print("imported " + Counted(*rows, "row") + " into " + arguments.uri + " as version " +
          std::to_string(dataset->version()) + " (" + timer.Text() + ")\n");
  }
  return Status::OK();
}

Status RunExport(const ExportArguments& arguments) {
  Timer timer;
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  ARROW_ASSIGN_OR_RAISE(FileFormat format, FormatOf(arguments.file, arguments.format));
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ScanOptions options;
  options.columns = SplitColumns(arguments.columns);
  options.filter = arguments.filter;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatchReader> source, dataset->Scan(options));
  auto rows = std::make_shared<uint64_t>(0);
  auto counted = CountRows(std::move(source), dataset->uri(), rows);
  Status status = WriteFile(*counted, arguments.file, format, arguments.overwrite);
  counted.reset();
  ARROW_RETURN_NOT_OK(status);
  if (arguments.table.json) {
    Print(ToDocument({{"file", arguments.file},
                      {"version", dataset->version()},
                      {"rows", *rows},
                      {"seconds", timer.Seconds()}}));
  } else {
    Print("exported " + Counted(*rows, "row") + " of version " +
          std::to_string(dataset->version()) + " to " + arguments.file + " (" + timer.Text() +
          ")\n");
  }
  return Status::OK();
}

}  // namespace lance::cli
