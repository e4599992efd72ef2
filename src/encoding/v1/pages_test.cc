#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/memory_pool.h"
#include "encoding/item_span.h"
#include "encoding/v1/binary_page.h"
#include "encoding/v1/list_page.h"

namespace lance::encoding::v1 {
namespace {

LeafShape TextShape() {
  LeafShape shape;
  shape.values = LeafShape::Values::kVariable;
  shape.layers = {{LayerKind::kItem}};
  return shape;
}

/// A file of some text, followed by numbers.
template <typename T>
std::vector<uint8_t> FileOf(std::string_view text, const std::vector<T>& numbers) {
  std::vector<uint8_t> bytes(text.begin(), text.end());
  bytes.resize(text.size() + numbers.size() * sizeof(T));
  std::memcpy(bytes.data() + text.size(), numbers.data(), numbers.size() * sizeof(T));
  return bytes;
}

Result<std::unique_ptr<LeafSink>> Read(PageReader& page, const std::vector<uint8_t>& file,
                                       const std::vector<RowRange>& rows) {
  const uint64_t count = CountRows(rows);
  ARROW_ASSIGN_OR_RAISE(auto sink,
                        LeafSink::Make(page.shape(), count, arrow::default_memory_pool()));
  if (page.shape().values == LeafShape::Values::kFixed) {
    ARROW_RETURN_NOT_OK(sink->AppendFixed(count).status());
  }
  auto cursor = page.Start(rows);
  for (;;) {
    std::vector<NeededBytes> needs;
    ARROW_RETURN_NOT_OK(cursor->Needs(*sink, 0, &needs));
    if (needs.empty()) break;
    std::vector<Bytes> bytes;
    for (const NeededBytes& need : needs) {
      EXPECT_LE(need.offset + need.size, file.size());
      bytes.push_back(Bytes(file).subspan(need.offset, need.size));
    }
    ARROW_RETURN_NOT_OK(cursor->Feed(bytes));
  }
  ARROW_RETURN_NOT_OK(cursor->DecodeInto(*sink, 0));
  return sink;
}

TEST(V1Page, StringsWhoseEmptyOnesAreNull) {
  const LeafShape shape = TextShape();
  const auto file = FileOf<int64_t>("..abcdef", {2, 3, 3, 5, 8});
  for (const bool empty_is_null : {true, false}) {
    auto page = BinaryPage::Make(shape, {8, 40}, 4, empty_is_null).ValueOrDie();
    auto sink = Read(*page, file, {{0, 2}, {3, 1}}).ValueOrDie();
    int64_t nulls = 0;
    auto validity = sink->FinishValidity(&nulls);
    EXPECT_EQ(nulls, empty_is_null ? 1 : 0);
    EXPECT_EQ(sink->FinishData().ValueOrDie()->ToString(), "adef");
    auto offsets = sink->FinishOffsets().ValueOrDie();
    const auto* at = reinterpret_cast<const int32_t*>(offsets->data());
    EXPECT_EQ(std::vector<int32_t>(at, at + 4), (std::vector<int32_t>{0, 1, 1, 4}));
  }
  EXPECT_FALSE(BinaryPage::Make(shape, {8, 40}, 5, true).ok());
}

TEST(V1Page, StringsThatEndBeforeTheyStartOrBehindThePage) {
  const LeafShape shape = TextShape();
  for (const std::vector<int64_t>& offsets :
       {std::vector<int64_t>{3, 2}, {0, 9}, {0, -1}, {-1, 3}}) {
    auto page = BinaryPage::Make(shape, {8, 16}, 1, true).ValueOrDie();
    EXPECT_FALSE(Read(*page, FileOf("........", offsets), {{0, 1}}).ok());
  }
}

template <typename T>
void CheckLists(bool large) {
  const LeafShape shape = ItemSpanShape();
  const auto file = FileOf<T>("12345678", {0, 2, 2, 5});
  const PageBuffer offsets{8, 4 * sizeof(T)};
  auto page = ListPage::Make(shape, offsets, 3, large, 100, 5).ValueOrDie();
  auto sink = Read(*page, file, {{0, 1}, {2, 1}}).ValueOrDie();
  const auto* at = reinterpret_cast<const uint64_t*>(sink->fixed_data());
  EXPECT_EQ(std::vector<uint64_t>(at, at + 4), (std::vector<uint64_t>{100, 102, 102, 105}));
  page = ListPage::Make(shape, offsets, 3, large, 100, 4).ValueOrDie();
  EXPECT_FALSE(Read(*page, file, {{2, 1}}).ok());
  EXPECT_FALSE(ListPage::Make(shape, offsets, 4, large, 100, 5).ok());
  for (const std::vector<T>& bad : {std::vector<T>{3, 2}, {0, -1}, {-1, 0}}) {
    page = ListPage::Make(shape, {8, 2 * sizeof(T)}, 1, large, 100, 5).ValueOrDie();
    EXPECT_FALSE(Read(*page, FileOf<T>("12345678", bad), {{0, 1}}).ok());
  }
}

TEST(V1Page, Lists) {
  CheckLists<int32_t>(false);
  CheckLists<int64_t>(true);
}

}  // namespace
}  // namespace lance::encoding::v1
