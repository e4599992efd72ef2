// Converts an Arrow IPC file to a Lance data file, for tests that read it with another
// implementation:
//   write_ipc_as_lance INPUT.arrow OUTPUT.lance [VERSION [BATCH_ROWS [PAGE_BYTES]]]
// BATCH_ROWS 0 keeps the batches of the input. Prints the seconds that writing took.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include "arrow/io/file.h"
#include "arrow/ipc/reader.h"
#include "arrow/record_batch.h"
#include "arrow/table.h"
#include "file/file_writer.h"
#include "io/object_store.h"

namespace lance {
namespace {

struct Arguments {
  std::string input;
  std::string output;
  std::string version = "2.2";
  int64_t batch_rows = 0;
  uint64_t page_bytes = FileWriteOptions().page_bytes;
};

Status Convert(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(
      auto input, arrow::io::MemoryMappedFile::Open(arguments.input, arrow::io::FileMode::READ));
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(input));
  arrow::RecordBatchVector batches;
  for (int i = 0; i < reader->num_record_batches(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto batch, reader->ReadRecordBatch(i));
    batches.push_back(std::move(batch));
  }
  const auto start = std::chrono::steady_clock::now();
  const Context context;
  FileWriteOptions options;
  ARROW_ASSIGN_OR_RAISE(options.version, ParseFileVersion(arguments.version));
  options.page_bytes = arguments.page_bytes;
  ARROW_ASSIGN_OR_RAISE(Schema schema, Schema::FromArrow(*reader->schema()));
  ARROW_ASSIGN_OR_RAISE(StoreLocation location, ResolveUri(arguments.output));
  ARROW_ASSIGN_OR_RAISE(auto object, location.store->OpenWriter(context, location.path));
  ARROW_ASSIGN_OR_RAISE(auto writer,
                        FileWriter::Open(context, std::move(object), std::move(schema), options));
  for (const auto& batch : batches) {
    const int64_t step = arguments.batch_rows > 0 ? arguments.batch_rows : batch->num_rows();
    for (int64_t row = 0; row < batch->num_rows(); row += step) {
      ARROW_RETURN_NOT_OK(writer->WriteBatch(*batch->Slice(row, step)));
    }
  }
  ARROW_RETURN_NOT_OK(writer->Finish().status());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << seconds.count() << "\n";
  return Status::OK();
}

}  // namespace
}  // namespace lance

int main(int argc, char** argv) {
  if (argc < 3 || argc > 6) {
    std::cerr << "usage: write_ipc_as_lance INPUT.arrow OUTPUT.lance"
                 " [VERSION [BATCH_ROWS [PAGE_BYTES]]]\n";
    return 2;
  }
  lance::Arguments arguments;
  arguments.input = argv[1];
  arguments.output = argv[2];
  if (argc > 3) arguments.version = argv[3];
  if (argc > 4) arguments.batch_rows = std::atoll(argv[4]);
  if (argc > 5) arguments.page_bytes = static_cast<uint64_t>(std::atoll(argv[5]));
  const lance::Status status = lance::Convert(arguments);
  if (status.ok()) return 0;
  std::cerr << lance::ErrorText(status) << "\n";
  return 1;
}
