// Any bytes as a data file: opening it and reading its first rows gives an error or values, within
// bounds of memory, and nothing else.

#include <cstdint>
#include <cstdlib>

#include "file/bounded_read.h"
#include "io/object_store.h"

namespace lance {
namespace {

Status ReadAll(Bytes data, BoundedRead* read) {
  auto store = MakeMemoryStore();
  ARROW_RETURN_NOT_OK(store->Put({}, "/fuzz.lance", data));
  ARROW_ASSIGN_OR_RAISE(auto object, store->OpenReader({}, "/fuzz.lance"));
  return read->Read(std::move(object),
                    [](const arrow::RecordBatch& batch) { return batch.ValidateFull(); });
}

}  // namespace
}  // namespace lance

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lance::BoundedRead read;
  // Most inputs fail, as they should.
  static_cast<void>(lance::ReadAll({data, size}, &read));
  if (read.refused() > 0) std::abort();
  return 0;
}
