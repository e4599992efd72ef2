// Any bytes as a page of 2.1 to 2.3 (its minor version is the kind) with its description
// (page_fuzz_input.h): opening it and reading all of its
// rows, and some of them, gives values or an error, and nothing else.

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/memory_pool.h"
#include "encoding/read/page_bytes.h"
#include "encoding/read/page_fuzz_input.h"
#include "encoding/read/page_reader.h"
#include "encoding/read/planar_layout.h"
#include "encoding/read/unravel.h"
#include "encodings21.pb.h"
#include "encodings23.pb.h"
#include "proto/parse.h"

namespace lance::encoding {
namespace {

Status ReadRows(const PageReader& page, const std::vector<RowRange>& rows, PageBytes* bytes) {
  ARROW_ASSIGN_OR_RAISE(auto sink, DecodePageRows(page, rows, bytes));
  const uint64_t count = CountRows(rows);
  const uint64_t scale = page.shape().rows_scale();
  if (count % scale != 0) return Status::OK();
  return Unravel(*sink, count / scale, sink->pool()).status();
}

Result<std::unique_ptr<PageReader>> OpenPage(const FuzzPage& input,
                                             std::vector<PageBuffer> buffers) {
  const int minor_version = 1 + (input.kind + 2) % 3;
  if (minor_version == 3) {
    encodings23::PlanarLayout layout;
    if (!ParseMessage(input.layout, &layout)) return Corrupt("no message");
    return MakePlanarPage(layout, input.shape, std::move(buffers), input.num_rows);
  }
  encodings21::PageLayout layout;
  if (!ParseMessage(input.layout, &layout)) return Corrupt("no message");
  return PageReader::Make(layout, input.shape, std::move(buffers), input.num_rows,
                          minor_version == 1);
}

Status ReadPage(const FuzzPage& input) {
  PageBytes bytes(input.buffers);
  ARROW_ASSIGN_OR_RAISE(auto page, OpenPage(input, bytes.places()));
  ARROW_ASSIGN_OR_RAISE(auto index, bytes.Get(page->IndexNeeds()));
  ARROW_RETURN_NOT_OK(page->LoadIndex(index, arrow::default_memory_pool()));
  static_cast<void>(ReadRows(*page, FirstRows(*page), &bytes));
  const auto some = SomeRows(*page);
  return some.empty() ? Status::OK() : ReadRows(*page, some, &bytes);
}

}  // namespace
}  // namespace lance::encoding

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (auto page = lance::encoding::ParseFuzzPage({data, size})) {
    static_cast<void>(lance::encoding::ReadPage(*page));
  }
  return 0;
}
