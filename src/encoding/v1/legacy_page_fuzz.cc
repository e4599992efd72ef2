// Any bytes as a page of version 0.1 of strings or lists: reading all of its rows, and some of
// them, gives values or an error, and nothing else.
//
//   u8 kind: 0 strings that may be null, 1 strings, 2 lists, 3 large lists
//   u32 rows   u32 position of the offsets in what follows   the values, then the offsets

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "encoding/item_span.h"
#include "encoding/read/page_bytes.h"
#include "encoding/v1/binary_page.h"
#include "encoding/v1/list_page.h"

namespace lance::encoding::v1 {
namespace {

constexpr uint64_t kFirstItem = 1000;
constexpr uint64_t kNumItems = 5000;

LeafShape TextShape() {
  LeafShape shape;
  shape.values = LeafShape::Values::kVariable;
  shape.layers = {{LayerKind::kItem}};
  return shape;
}

Status ReadPage(Bytes input) {
  ByteReader reader(input);
  ARROW_ASSIGN_OR_RAISE(uint8_t kind, reader.Read<uint8_t>("kind"));
  ARROW_ASSIGN_OR_RAISE(uint32_t rows, reader.Read<uint32_t>("rows"));
  ARROW_ASSIGN_OR_RAISE(uint32_t position, reader.Read<uint32_t>("position"));
  const std::string file(AsText(input.subspan(reader.position())));
  PageBytes bytes({file});
  const uint64_t start = std::min<uint64_t>(position, file.size());
  const PageBuffer offsets{start, file.size() - start};
  const bool lists = kind % 4 >= 2;
  const LeafShape shape = lists ? ItemSpanShape() : TextShape();
  ARROW_ASSIGN_OR_RAISE(
      auto page, lists ? ListPage::Make(shape, offsets, rows, kind % 4 == 3, kFirstItem, kNumItems)
                       : BinaryPage::Make(shape, offsets, rows, kind % 4 == 0));
  static_cast<void>(DecodePageRows(*page, FirstRows(*page), &bytes).status());
  const auto some = SomeRows(*page);
  return some.empty() ? Status::OK() : DecodePageRows(*page, some, &bytes).status();
}

}  // namespace
}  // namespace lance::encoding::v1

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static_cast<void>(lance::encoding::v1::ReadPage({data, size}));
  return 0;
}
