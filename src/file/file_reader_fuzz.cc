// Any bytes as a data file: opening it and reading its first rows gives an error or values, and
// nothing else.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/api.h"
#include "file/file_reader.h"
#include "io/object_store.h"

namespace lance {
namespace {

// Constant pages can claim any number of rows in a few bytes: reading stops here.
constexpr uint64_t kMaxRows = 8192;
constexpr uint64_t kBatchRows = 1024;

Status ReadAll(Bytes data) {
  Context context;
  auto store = MakeMemoryStore();
  ARROW_RETURN_NOT_OK(store->Put(context, "/fuzz.lance", data));
  ARROW_ASSIGN_OR_RAISE(auto bytes, store->OpenReader(context, "/fuzz.lance"));
  ARROW_ASSIGN_OR_RAISE(auto file, FileReader::Open(context, bytes));
  ARROW_ASSIGN_OR_RAISE(auto projection, file->Project());
  uint64_t end = std::min(file->num_rows(), kMaxRows);
  for (uint64_t start = 0; start < end; start += kBatchRows) {
    RowRange range{start, std::min(kBatchRows, end - start)};
    ARROW_ASSIGN_OR_RAISE(auto batch, file->Read(context, projection, {&range, 1}));
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
  }
  return Status::OK();
}

}  // namespace
}  // namespace lance

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Most inputs fail, as they should; what counts is that nothing crashes.
  static_cast<void>(lance::ReadAll(lance::Bytes(data, size)));
  return 0;
}
