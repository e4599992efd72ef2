// A program in C++ that uses the installed headers of lance and Arrow only.
//
//     consumer FOLDER      FOLDER may hold tables of an earlier run

#include <arrow/api.h>
#include <lance/dataset.h>
#include <lance/error.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr int64_t kRows = 1000;

#define EXPECT(condition)                                                                    \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      return arrow::Status::UnknownError(__FILE__, ":", __LINE__, ": not so: ", #condition); \
    }                                                                                        \
  } while (0)

arrow::Result<std::shared_ptr<arrow::Table>> MakeTable() {
  arrow::Int64Builder ids;
  arrow::StringBuilder names;
  for (int64_t i = 0; i < kRows; ++i) {
    ARROW_RETURN_NOT_OK(ids.Append(i));
    ARROW_RETURN_NOT_OK(i % 7 == 0 ? names.AppendNull()
                                   : names.Append("name " + std::to_string(i)));
  }
  ARROW_ASSIGN_OR_RAISE(auto id_array, ids.Finish());
  ARROW_ASSIGN_OR_RAISE(auto name_array, names.Finish());
  auto schema = arrow::schema({arrow::field("id", arrow::int64(), /*nullable=*/false),
                               arrow::field("name", arrow::utf8())});
  return arrow::Table::Make(schema, {id_array, name_array});
}

arrow::Status Run(const std::string& uri) {
  ARROW_ASSIGN_OR_RAISE(auto table, MakeTable());
  lance::WriteOptions options;
  options.mode = lance::WriteMode::kOverwrite;
  options.max_rows_per_file = 400;
  ARROW_ASSIGN_OR_RAISE(
      auto first,
      lance::Dataset::Write(uri, std::make_shared<arrow::TableBatchReader>(table), options));
  EXPECT(first->fragments().size() == 3);
  EXPECT(first->schema()->Equals(*table->schema()));

  options.mode = lance::WriteMode::kAppend;
  ARROW_ASSIGN_OR_RAISE(auto second,
                        first->Insert(std::make_shared<arrow::TableBatchReader>(table), options));
  EXPECT(second->version() == first->version() + 1);

  ARROW_ASSIGN_OR_RAISE(auto newest, lance::Dataset::Open(uri));
  ARROW_ASSIGN_OR_RAISE(uint64_t rows, newest->CountRows());
  EXPECT(rows == 2 * kRows);
  ARROW_ASSIGN_OR_RAISE(auto old, newest->Checkout(first->version()));
  ARROW_ASSIGN_OR_RAISE(auto read, old->ToTable());
  EXPECT(read->Equals(*table));

  std::vector<uint64_t> positions = {1999, 0, 999, 0};
  ARROW_ASSIGN_OR_RAISE(auto batch, newest->Take(positions, std::vector<std::string>{"id"}));
  const auto& ids = static_cast<const arrow::Int64Array&>(*batch->column(0));
  EXPECT(batch->num_rows() == 4 && batch->num_columns() == 1);
  EXPECT(ids.Value(0) == 999 && ids.Value(1) == 0 && ids.Value(2) == 999 && ids.Value(3) == 0);

  auto missing = lance::Dataset::Open(uri + ".missing");
  EXPECT(!missing.ok());
  EXPECT(lance::GetErrorCode(missing.status()) == lance::ErrorCode::kNotFound);
  EXPECT(lance::GetErrorDetail(missing.status()) != nullptr);
  EXPECT(!lance::ErrorText(missing.status()).empty());
  std::cout << "C++ consumer of lance: all checks passed\n";
  return arrow::Status::OK();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: consumer FOLDER\n";
    return 2;
  }
  arrow::Status status = Run(std::string(argv[1]) + "/from_cpp.lance");
  if (!status.ok()) std::cerr << lance::ErrorText(status) << "\n";
  return status.ok() ? 0 : 1;
}
