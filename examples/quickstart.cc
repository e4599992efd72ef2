// Write a table, append to it, read it back, look at an old version:
//
//     lance_quickstart /tmp/animals.lance

#include <arrow/api.h>
#include <lance/dataset.h>
#include <lance/error.h>

#include <iostream>
#include <vector>

using arrow::Status, arrow::TableBatchReader;

arrow::Result<std::shared_ptr<arrow::Table>> Animals(const std::vector<std::string>& names,
                                                     const std::vector<int64_t>& legs) {
  arrow::StringBuilder name_builder;
  arrow::Int64Builder leg_builder;
  ARROW_RETURN_NOT_OK(name_builder.AppendValues(names));
  ARROW_RETURN_NOT_OK(leg_builder.AppendValues(legs));
  ARROW_ASSIGN_OR_RAISE(auto name_array, name_builder.Finish());
  ARROW_ASSIGN_OR_RAISE(auto leg_array, leg_builder.Finish());
  auto schema = arrow::schema({{"name", arrow::utf8()}, {"legs", arrow::int64()}});
  return arrow::Table::Make(schema, {name_array, leg_array});
}

Status Run(const std::string& uri) {
  // Anything that gives Arrow record batches can be written; a large source is never held whole.
  ARROW_ASSIGN_OR_RAISE(auto animals, Animals({"cat", "hen", "ant"}, {4, 2, 6}));
  lance::WriteOptions options;
  options.mode = lance::WriteMode::kOverwrite;
  ARROW_ASSIGN_OR_RAISE(
      auto first, lance::Dataset::Write(uri, std::make_shared<TableBatchReader>(animals), options));

  ARROW_ASSIGN_OR_RAISE(auto more, Animals({"crab", "eel"}, {10, 0}));
  options.mode = lance::WriteMode::kAppend;
  ARROW_RETURN_NOT_OK(first->Insert(std::make_shared<TableBatchReader>(more), options).status());

  ARROW_ASSIGN_OR_RAISE(auto dataset, lance::Dataset::Open(uri));
  ARROW_ASSIGN_OR_RAISE(auto everything, dataset->ToTable());
  std::cout << "version " << dataset->version() << ":\n" << everything->ToString();

  // Single rows by position, in any order; only these columns are read.
  std::vector<uint64_t> positions = {4, 0};
  ARROW_ASSIGN_OR_RAISE(auto rows, dataset->Take(positions, std::vector<std::string>{"name"}));
  std::cout << "\nrows 4 and 0:\n" << rows->ToString();

  // Every write made a version, and each can still be read.
  ARROW_ASSIGN_OR_RAISE(auto before, dataset->Checkout(first->version()));
  ARROW_ASSIGN_OR_RAISE(uint64_t count, before->CountRows());
  std::cout << "\nversion " << before->version() << " has " << count << " rows\n";
  return Status::OK();
}

int main(int argc, char** argv) {
  Status status = Run(argc > 1 ? argv[1] : "animals.lance");
  if (!status.ok()) std::cerr << "quickstart: " << lance::ErrorText(status) << "\n";
  return status.ok() ? 0 : 1;
}
