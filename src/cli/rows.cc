// The verbs that show rows: head and take.

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "arrow/array.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/text_table.h"
#include "cli/value.h"

namespace lance::cli {
namespace {

using Json = nlohmann::ordered_json;

// Column widths are decided on this many rows, so that any number of rows streams through.
constexpr size_t kRowsForWidths = 1000;

class RowPrinter {
 public:
  virtual ~RowPrinter() = default;
  virtual void Add(const arrow::RecordBatch& batch) = 0;
  virtual void Finish() = 0;
};

class TextRows final : public RowPrinter {
 public:
  explicit TextRows(const arrow::Schema& schema) : table_(Columns(schema)) {}

  void Add(const arrow::RecordBatch& batch) override {
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      std::vector<std::string> cells;
      for (const auto& column : batch.columns()) {
        cells.push_back(Printable(ValueToText(*column, row)));
      }
      table_.AddRow(std::move(cells));
      if (table_.num_rows() == kRowsForWidths) Print(table_.Render(TerminalWidth()));
    }
    num_rows_ += batch.num_rows();
  }

  void Finish() override {
    Print(table_.Render(TerminalWidth()));
    if (TerminalWidth() == 0) return;
    std::string note = Counted(num_rows_, "row");
    if (size_t hidden = table_.HiddenColumns().size(); hidden > 0) {
      note += "; " + Counted(hidden, "more column") + " (see --columns, --json)";
    }
    Print("(" + note + ")\n");
  }

 private:
  static std::vector<TextTable::Column> Columns(const arrow::Schema& schema) {
    std::vector<TextTable::Column> columns;
    for (const auto& field : schema.fields()) {
      columns.push_back({Printable(field->name()), IsNumber(*field->type())});
    }
    return columns;
  }

  TextTable table_;
  uint64_t num_rows_ = 0;
};

// {"version", "columns", "rows": [a row a line]}, printed as the batches come.
class JsonRows final : public RowPrinter {
 public:
  JsonRows(const arrow::Schema& schema, uint64_t version) {
    Print("{\"version\":" + std::to_string(version) +
          ",\"columns\":" + ToLine(ColumnsToJson(schema)) + ",\"rows\":[");
  }

  void Add(const arrow::RecordBatch& batch) override {
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      Json object = Json::object();
      for (int i = 0; i < batch.num_columns(); ++i) {
        object[batch.schema()->field(i)->name()] = ValueToJson(*batch.column(i), row);
      }
      Print(first_ ? "\n" : ",\n");
      Print(ToLine(object));
      first_ = false;
    }
  }

  void Finish() override { Print("\n]}\n"); }

 private:
  bool first_ = true;
};

std::unique_ptr<RowPrinter> MakePrinter(const arrow::Schema& schema, uint64_t version, bool json) {
  if (json) return std::make_unique<JsonRows>(schema, version);
  return std::make_unique<TextRows>(schema);
}

}  // namespace

Status RunHead(const RowsArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ScanOptions options;
  options.columns = SplitColumns(arguments.columns);
  options.limit = arguments.limit;
  options.filter = arguments.filter;
  options.include_deleted_rows = arguments.with_deleted;
  options.with_row_id = arguments.with_deleted;
  ARROW_ASSIGN_OR_RAISE(auto reader, dataset->Scan(options));
  // The first batch before any output: an error then leaves standard output empty.
  ARROW_ASSIGN_OR_RAISE(auto batch, reader->Next());
  auto printer = MakePrinter(*reader->schema(), dataset->version(), arguments.table.json);
  while (batch != nullptr) {
    printer->Add(*batch);
    ARROW_ASSIGN_OR_RAISE(batch, reader->Next());
  }
  printer->Finish();
  return Status::OK();
}

Status RunTake(const RowsArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_ASSIGN_OR_RAISE(auto batch,
                        dataset->Take(arguments.indices, SplitColumns(arguments.columns)));
  auto printer = MakePrinter(*batch->schema(), dataset->version(), arguments.table.json);
  printer->Add(*batch);
  printer->Finish();
  return Status::OK();
}

}  // namespace lance::cli
