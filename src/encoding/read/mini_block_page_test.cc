#include "encoding/read/mini_block_page.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "encoding/read/page_bytes.h"
#include "encoding/read/unravel.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

template <typename T>
void Append(T number, std::string* out) {
  out->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void Pad(std::string* out) { out->resize((out->size() + 7) / 8 * 8, '\xfe'); }

/// A block of runs of levels.
std::string Runs(const std::vector<std::pair<uint16_t, uint64_t>>& runs) {
  std::string values;
  std::string lengths;
  for (auto [level, count] : runs) {
    for (; count > 0; count -= std::min<uint64_t>(count, 255)) {
      Append(level, &values);
      Append(static_cast<uint8_t>(std::min<uint64_t>(count, 255)), &lengths);
    }
  }
  std::string out;
  Append(uint64_t{values.size()}, &out);
  return out + values + lengths;
}

// Early writers of 2.2 had one chunk for any number of empty lists, and 16 bits for their number.
TEST(MiniBlockPage, LevelsBeyond16BitsAreCountedByTheirRuns) {
  constexpr uint64_t kRows = 65536 + 10;
  LeafShape shape;
  shape.value_bits = 32;
  shape.layers = {{LayerKind::kList}, {LayerKind::kItem}};
  // The first and the last list have one item.
  const std::string rep = Runs({{1, kRows}});
  const std::string def = Runs({{0, 1}, {1, kRows - 2}, {0, 1}});
  std::string chunk;
  Append(static_cast<uint16_t>(kRows), &chunk);
  Append(static_cast<uint16_t>(rep.size()), &chunk);
  Append(static_cast<uint16_t>(def.size()), &chunk);
  Append(uint32_t{8}, &chunk);
  Pad(&chunk);
  chunk += rep;
  Pad(&chunk);
  chunk += def;
  Pad(&chunk);
  Append(int32_t{5}, &chunk);
  Append(int32_t{6}, &chunk);
  std::string words;
  Append(static_cast<uint32_t>((chunk.size() / 8 - 1) << 4), &words);
  std::string index;
  Append(kRows, &index);
  Append(uint64_t{0}, &index);

  encodings21::PageLayout layout;
  auto& page = *layout.mutable_mini_block_layout();
  for (auto* levels : {page.mutable_rep_compression(), page.mutable_def_compression()}) {
    levels->mutable_rle()->mutable_values()->mutable_flat()->set_bits_per_value(16);
    levels->mutable_rle()->mutable_run_lengths()->mutable_flat()->set_bits_per_value(8);
  }
  page.mutable_value_compression()->mutable_flat()->set_bits_per_value(32);
  page.set_num_buffers(1);
  page.set_repetition_index_depth(1);
  page.set_num_items(2);
  page.set_has_large_chunk(true);
  page.add_layers(encodings21::REPDEF_ALL_VALID_ITEM);
  page.add_layers(encodings21::REPDEF_EMPTYABLE_LIST);

  PageBytes bytes({words, chunk, index});
  auto reader =
      PageReader::Make(layout, shape, bytes.places(), kRows, /*version_2_1=*/false).ValueOrDie();
  auto needed = bytes.Get(reader->IndexNeeds()).ValueOrDie();
  ASSERT_TRUE(reader->LoadIndex(needed, arrow::default_memory_pool()).ok());
  for (const std::vector<RowRange>& rows : std::vector<std::vector<RowRange>>{
           {{0, kRows}}, {{0, 1}, {70, 2}, {kRows - 1, 1}}, {{65530, kRows - 65530}}}) {
    const uint64_t count = CountRows(rows);
    auto sink = DecodePageRows(*reader, rows, &bytes).ValueOrDie();
    const uint64_t items = rows[0].start == 0 ? 2 : 1;
    ASSERT_EQ(sink->num_values(), items);
    EXPECT_EQ(reinterpret_cast<const int32_t*>(sink->fixed_data())[items - 1], 6);
    auto layers = Unravel(*sink, count, sink->pool()).ValueOrDie();
    const auto* offsets = reinterpret_cast<const int32_t*>(layers[0].offsets->data());
    EXPECT_EQ(offsets[count], static_cast<int32_t>(items));
    EXPECT_EQ(offsets[count - 1], static_cast<int32_t>(items) - 1);
  }
}

}  // namespace
}  // namespace lance::encoding
