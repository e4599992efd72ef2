// Any bytes as a deletion file, in both forms: an error or a set of rows, and nothing else.

#include <cstdint>
#include <string>

#include "arrow/buffer.h"
#include "table/deletion_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kRows = 200'000;
  (void)lance::DecodeDeletionBitmap({data, size}, kRows).status();
  std::string content(reinterpret_cast<const char*>(data), size);
  (void)lance::DecodeDeletionArray(arrow::Buffer::FromString(std::move(content)), kRows).status();
  return 0;
}
