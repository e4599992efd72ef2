// Any bytes as a page of version 2.0 with its description (page_fuzz_input.h); its kind chooses
// between values, blobs and lists. Opening it and reading all of its rows, and some of them, gives
// values or an error, and nothing else.

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/memory_pool.h"
#include "encoding/item_span.h"
#include "encoding/read/page_bytes.h"
#include "encoding/read/page_fuzz_input.h"
#include "encoding/v20/list_page.h"
#include "encoding/v20/make_page.h"
#include "encodings20.pb.h"
#include "proto/parse.h"

namespace lance::encoding::v20 {
namespace {

constexpr uint64_t kFirstItem = 1000;

Result<std::unique_ptr<PageReader>> OpenPage(const FuzzPage& input, const LeafShape& shape,
                                             const std::vector<PageBuffer>& places) {
  encodings::ArrayEncoding encoding;
  if (!ParseMessage(input.layout, &encoding)) return Corrupt("no message");
  const BufferTable buffers{places, places, places};
  switch (static_cast<FuzzKind>(input.kind % 3)) {
    case FuzzKind::kValues:
      return MakePage(encoding, shape, buffers, input.num_rows);
    case FuzzKind::kBlobs:
      return MakeBlobPage(encoding, shape, buffers, input.num_rows);
    case FuzzKind::kLists:
      return ListPage::Make(encoding.list(), shape, buffers, input.num_rows, kFirstItem);
  }
  return Corrupt("no kind");
}

Status ReadRows(const PageReader& page, const std::vector<RowRange>& rows, PageBytes* bytes) {
  ARROW_ASSIGN_OR_RAISE(auto sink, DecodePageRows(page, rows, bytes));
  int64_t nulls = 0;
  sink->FinishValidity(&nulls);
  return Status::OK();
}

Status ReadPage(const FuzzPage& input) {
  PageBytes bytes(input.buffers);
  // Columns of 2.0 have no layers above their own.
  LeafShape shape = input.shape;
  shape.layers = {{LayerKind::kItem}};
  if (static_cast<FuzzKind>(input.kind % 3) == FuzzKind::kLists) shape = ItemSpanShape();
  ARROW_ASSIGN_OR_RAISE(auto page, OpenPage(input, shape, bytes.places()));
  ARROW_ASSIGN_OR_RAISE(auto index, bytes.Get(page->IndexNeeds()));
  ARROW_RETURN_NOT_OK(page->LoadIndex(index, arrow::default_memory_pool()));
  static_cast<void>(ReadRows(*page, FirstRows(*page), &bytes));
  const auto some = SomeRows(*page);
  return some.empty() ? Status::OK() : ReadRows(*page, some, &bytes);
}

}  // namespace
}  // namespace lance::encoding::v20

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (auto page = lance::encoding::ParseFuzzPage({data, size})) {
    static_cast<void>(lance::encoding::v20::ReadPage(*page));
  }
  return 0;
}
