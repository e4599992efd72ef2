#include "encoding/v20/make_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/memory_pool.h"
#include "arrow/util/bit_util.h"
#include "encoding/codec/bitpack.h"
#include "encoding/codec/general_compression.h"
#include "encoding/item_span.h"
#include "encoding/v20/list_page.h"
#include "encodings20.pb.h"

namespace lance::encoding::v20 {
namespace {

using Encoding = encodings::ArrayEncoding;

LeafShape FixedShape(uint64_t bits, std::vector<uint32_t> dimensions = {}) {
  LeafShape shape;
  shape.value_bits = bits;
  shape.dimensions = std::move(dimensions);
  shape.layers = {{LayerKind::kItem}};
  return shape;
}

LeafShape TextShape() {
  LeafShape shape;
  shape.values = LeafShape::Values::kVariable;
  shape.layers = {{LayerKind::kItem}};
  return shape;
}

template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A file that holds the buffers of one page, and what it takes to read it.
class File {
 public:
  /// Adds a page buffer and names it.
  encodings::Buffer Add(const std::vector<uint8_t>& bytes) {
    buffers_.page.push_back({bytes_.size(), bytes.size()});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    encodings::Buffer name;
    name.set_buffer_index(static_cast<uint32_t>(buffers_.page.size() - 1));
    return name;
  }
  template <typename T>
  Encoding Flat(const std::vector<T>& values) {
    return FlatBits(sizeof(T) * 8, BytesOf(values));
  }
  Encoding FlatBits(uint64_t bits, const std::vector<uint8_t>& bytes) {
    Encoding encoding;
    encoding.mutable_flat()->set_bits_per_value(bits);
    *encoding.mutable_flat()->mutable_buffer() = Add(bytes);
    return encoding;
  }
  const BufferTable& buffers() const { return buffers_; }

  /// Reads rows of a page; the sink holds them.
  Result<std::unique_ptr<LeafSink>> Read(PageReader& page, const std::vector<RowRange>& rows) {
    auto* pool = arrow::default_memory_pool();
    const uint64_t count = CountRows(rows);
    ARROW_ASSIGN_OR_RAISE(auto sink, LeafSink::Make(page.shape(), count, pool));
    if (page.shape().values != LeafShape::Values::kVariable) {
      ARROW_RETURN_NOT_OK(sink->AppendFixed(count).status());
    }
    ARROW_RETURN_NOT_OK(page.LoadIndex(Find(page.IndexNeeds()), pool));
    auto cursor = page.Start(rows);
    rounds_ = 0;
    for (;; ++rounds_) {
      std::vector<NeededBytes> needs;
      ARROW_RETURN_NOT_OK(cursor->Needs(*sink, 0, &needs));
      if (needs.empty()) break;
      ARROW_RETURN_NOT_OK(cursor->Feed(Find(needs)));
    }
    ARROW_RETURN_NOT_OK(cursor->DecodeInto(*sink, 0));
    return sink;
  }
  int rounds() const { return rounds_; }

 private:
  std::vector<Bytes> Find(const std::vector<NeededBytes>& needs) {
    std::vector<Bytes> found;
    for (const NeededBytes& need : needs) {
      EXPECT_LE(need.offset + need.size, bytes_.size());
      uint8_t* at = bytes_.data() + need.offset;
      if (need.into != nullptr && need.size > 0) {
        std::memcpy(need.into, at, need.size);
        at = need.into;
      }
      found.emplace_back(at, need.size);
    }
    return found;
  }

  std::vector<uint8_t> bytes_;
  BufferTable buffers_;
  int rounds_ = 0;
};

Encoding NoNulls(const Encoding& values) {
  Encoding encoding;
  *encoding.mutable_nullable()->mutable_no_nulls()->mutable_values() = values;
  return encoding;
}

Encoding SomeNulls(const Encoding& validity, const Encoding& values) {
  Encoding encoding;
  *encoding.mutable_nullable()->mutable_some_nulls()->mutable_validity() = validity;
  *encoding.mutable_nullable()->mutable_some_nulls()->mutable_values() = values;
  return encoding;
}

Encoding AllNulls() {
  Encoding encoding;
  encoding.mutable_nullable()->mutable_all_nulls();
  return encoding;
}

std::string ValidityText(LeafSink& sink, uint64_t count) {
  int64_t null_count = 0;
  auto bits = sink.FinishValidity(&null_count);
  std::string text;
  for (uint64_t i = 0; i < count; ++i) {
    const bool valid =
        bits == nullptr || arrow::bit_util::GetBit(bits->data(), static_cast<int64_t>(i));
    text += valid ? 'x' : '-';
  }
  EXPECT_EQ(std::count(text.begin(), text.end(), '-'), null_count);
  return text;
}

template <typename T>
std::vector<T> Values(LeafSink& sink, uint64_t count) {
  const auto* data = reinterpret_cast<const T*>(sink.fixed_data());
  return {data, data + count};
}

/// Values joined by '|', nulls as '-'.
std::string Texts(LeafSink& sink, uint64_t count) {
  const std::string valid = ValidityText(sink, count);
  auto offsets = sink.FinishOffsets().ValueOrDie();
  auto bytes = sink.FinishData().ValueOrDie();
  const auto* at = reinterpret_cast<const int32_t*>(offsets->data());
  std::string text;
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0) text += '|';
    text += valid[i] == '-' ? "-"
                            : std::string(reinterpret_cast<const char*>(bytes->data()) + at[i],
                                          static_cast<size_t>(at[i + 1] - at[i]));
  }
  return text;
}

const std::vector<RowRange> kSomeRows = {{0, 2}, {3, 1}, {5, 3}};

TEST(V20Page, NumbersWithNulls) {
  File file;
  const LeafShape shape = FixedShape(32);
  auto encoding = SomeNulls(file.FlatBits(1, {0b11101101}),
                            file.Flat(std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  auto page = MakePage(encoding, shape, file.buffers(), 8).ValueOrDie();
  auto sink = file.Read(*page, kSomeRows).ValueOrDie();
  EXPECT_EQ(file.rounds(), 1);
  EXPECT_EQ(Values<int32_t>(*sink, 6), (std::vector<int32_t>{1, 2, 4, 6, 7, 8}));
  EXPECT_EQ(ValidityText(*sink, 6), "x-xxxx");
  EXPECT_FALSE(MakePage(encoding, shape, file.buffers(), 9).ok());
  EXPECT_FALSE(MakePage(encoding, FixedShape(64), file.buffers(), 8).ok());
}

TEST(V20Page, AllNulls) {
  File file;
  for (const LeafShape& shape : {FixedShape(32), TextShape()}) {
    auto page = MakePage(AllNulls(), shape, file.buffers(), 100).ValueOrDie();
    auto sink = file.Read(*page, {{90, 10}}).ValueOrDie();
    EXPECT_EQ(file.rounds(), 0);
    EXPECT_EQ(ValidityText(*sink, 10), "----------");
  }
}

TEST(V20Page, FixedSizeListsOfBools) {
  File file;
  const LeafShape shape = FixedShape(5, {5});
  // Rows 10101, 00111, 11111 from the lowest bit on; the second list is null, as is item 1 of row
  // 0.
  Encoding encoding;
  auto* list = encoding.mutable_fixed_size_list();
  list->set_dimension(5);
  *list->mutable_items() =
      SomeNulls(file.FlatBits(1, {0xfd, 0x7f}), file.FlatBits(1, {0b10010101, 0b01111111}));
  encoding = SomeNulls(file.FlatBits(1, {0b101}), encoding);
  auto page = MakePage(encoding, shape, file.buffers(), 3).ValueOrDie();
  auto sink = file.Read(*page, {{0, 1}, {2, 1}}).ValueOrDie();
  EXPECT_EQ(ValidityText(*sink, 2), "xx");
  EXPECT_EQ(sink->fixed_data()[0], 0b11110101);
  EXPECT_EQ(sink->fixed_data()[1] & 0b11, 0b11);
  auto items = sink->FinishItemValidity(0);
  EXPECT_EQ(items->data()[0], 0b11111101);
  EXPECT_FALSE(MakePage(encoding, FixedShape(6, {6}), file.buffers(), 3).ok());
  EXPECT_FALSE(MakePage(encoding, FixedShape(5, {5}), file.buffers(), 4).ok());
}

TEST(V20Page, CompressedNumbers) {
  for (const char* scheme : {"zstd", "lz4"}) {
    File file;
    const LeafShape shape = FixedShape(64);
    std::vector<int64_t> values(1000);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i / 7);
    auto bytes = BytesOf(values);
    auto frame =
        Compress(std::string(scheme) == "lz4" ? CompressionScheme::kLz4 : CompressionScheme::kZstd,
                 bytes, {}, arrow::default_memory_pool())
            .ValueOrDie();
    auto encoding = file.FlatBits(64, {frame->data(), frame->data() + frame->size()});
    encoding.mutable_flat()->mutable_compression()->set_scheme(scheme);
    auto page = MakePage(NoNulls(encoding), shape, file.buffers(), 1000).ValueOrDie();
    auto sink = file.Read(*page, {{0, 1}, {998, 2}}).ValueOrDie();
    EXPECT_EQ(Values<int64_t>(*sink, 3), (std::vector<int64_t>{0, 142, 142}));
    auto longer = MakePage(NoNulls(encoding), shape, file.buffers(), 1001).ValueOrDie();
    EXPECT_FALSE(file.Read(*longer, {{1000, 1}}).ok());
  }
}

template <typename T>
void CheckBlocks(uint32_t width) {
  constexpr uint64_t kRows = 2500;
  File file;
  std::vector<T> values(3 * kBitpackBlock);
  std::vector<uint8_t> packed(3 * kBitpackBlock / 8 * width);
  for (size_t i = 0; i < kRows; ++i) values[i] = static_cast<T>(i * 37 & ((1u << width) - 1));
  for (size_t block = 0; block < 3; ++block) {
    PackBlock(width, values.data() + block * kBitpackBlock,
              packed.data() + block * kBitpackBlock / 8 * width);
  }
  Encoding encoding;
  encoding.mutable_bitpacked_for_non_neg()->set_compressed_bits_per_value(width);
  encoding.mutable_bitpacked_for_non_neg()->set_uncompressed_bits_per_value(sizeof(T) * 8);
  *encoding.mutable_bitpacked_for_non_neg()->mutable_buffer() = file.Add(packed);
  const LeafShape shape = FixedShape(sizeof(T) * 8);
  auto page = MakePage(NoNulls(encoding), shape, file.buffers(), kRows).ValueOrDie();
  const std::vector<RowRange> rows = {{0, 1}, {1000, 1100}, {2499, 1}};
  auto sink = file.Read(*page, rows).ValueOrDie();
  std::vector<T> expected;
  for (const RowRange& range : rows) {
    for (uint64_t i = range.start; i < range.end(); ++i) expected.push_back(values[i]);
  }
  EXPECT_EQ(Values<T>(*sink, expected.size()), expected) << width;
  EXPECT_FALSE(MakePage(NoNulls(encoding), shape, file.buffers(), 3 * kBitpackBlock + 1).ok());
}

TEST(V20Page, BitpackedBlocks) {
  CheckBlocks<uint8_t>(3);
  CheckBlocks<uint16_t>(11);
  CheckBlocks<uint32_t>(12);
  CheckBlocks<uint64_t>(13);
}

TEST(V20Page, BitpackedStream) {
  for (const bool is_signed : {false, true}) {
    for (uint32_t width : {1u, 5u, 8u, 13u, 31u, 32u}) {
      File file;
      const std::vector<int64_t> numbers = {0, 1, -1, 2, -2, 100, -100, 12345, -12345, 0, 7};
      std::vector<uint8_t> stream((numbers.size() * width + 7) / 8);
      std::vector<int32_t> expected;
      for (size_t i = 0; i < numbers.size(); ++i) {
        const uint64_t mask = (uint64_t{1} << width) - 1;
        uint64_t value = static_cast<uint64_t>(numbers[i]) & mask;
        for (uint32_t bit = 0; bit < width; ++bit) {
          const size_t at = i * width + bit;
          if ((value >> bit & 1) != 0) stream[at / 8] |= static_cast<uint8_t>(1 << (at % 8));
        }
        if (is_signed && (value >> (width - 1) & 1) != 0) value |= ~mask;
        expected.push_back(static_cast<int32_t>(value));
      }
      Encoding encoding;
      encoding.mutable_bitpacked()->set_compressed_bits_per_value(width);
      encoding.mutable_bitpacked()->set_uncompressed_bits_per_value(32);
      encoding.mutable_bitpacked()->set_is_signed(is_signed);
      *encoding.mutable_bitpacked()->mutable_buffer() = file.Add(stream);
      const LeafShape shape = FixedShape(32);
      auto page = MakePage(NoNulls(encoding), shape, file.buffers(), numbers.size()).ValueOrDie();
      auto sink = file.Read(*page, {{0, 1}, {3, 8}}).ValueOrDie();
      expected.erase(expected.begin() + 1, expected.begin() + 3);
      EXPECT_EQ(Values<int32_t>(*sink, 9), expected) << width << is_signed;
    }
  }
}

Encoding Binary(const Encoding& indices, const Encoding& bytes, uint64_t adjustment) {
  Encoding encoding;
  *encoding.mutable_binary()->mutable_indices() = NoNulls(indices);
  *encoding.mutable_binary()->mutable_bytes() = bytes;
  encoding.mutable_binary()->set_null_adjustment(adjustment);
  return encoding;
}

std::vector<uint8_t> Letters(std::string_view text) { return {text.begin(), text.end()}; }

TEST(V20Page, Strings) {
  File file;
  const LeafShape shape = TextShape();
  // a, bc, null, "", def, null, g, h
  auto encoding = Binary(file.Flat(std::vector<uint64_t>{1, 3, 12, 3, 6, 15, 7, 8}),
                         file.FlatBits(8, Letters("abcdefgh")), 9);
  auto page = MakePage(encoding, shape, file.buffers(), 8).ValueOrDie();
  auto sink = file.Read(*page, {{0, 8}}).ValueOrDie();
  EXPECT_EQ(file.rounds(), 2);
  EXPECT_EQ(Texts(*sink, 8), "a|bc|-||def|-|g|h");
  sink = file.Read(*page, kSomeRows).ValueOrDie();
  EXPECT_EQ(Texts(*sink, 6), "a|bc||-|g|h");
  auto beyond =
      Binary(file.Flat(std::vector<uint64_t>{1, 10}), file.FlatBits(8, Letters("abcdefgh")), 90);
  page = MakePage(beyond, shape, file.buffers(), 2).ValueOrDie();
  EXPECT_FALSE(file.Read(*page, {{0, 2}}).ok());
  auto backwards =
      Binary(file.Flat(std::vector<uint64_t>{2, 1}), file.FlatBits(8, Letters("abcdefgh")), 9);
  page = MakePage(backwards, shape, file.buffers(), 2).ValueOrDie();
  EXPECT_FALSE(file.Read(*page, {{0, 2}}).ok());
}

TEST(V20Page, StringsOfOneLength) {
  File file;
  const LeafShape shape = TextShape();
  Encoding encoding;
  encoding.mutable_fixed_size_binary()->set_byte_width(2);
  *encoding.mutable_fixed_size_binary()->mutable_bytes() =
      NoNulls(file.FlatBits(8, Letters("aabbccddeeffgghh")));
  auto page = MakePage(encoding, shape, file.buffers(), 8).ValueOrDie();
  auto sink = file.Read(*page, kSomeRows).ValueOrDie();
  EXPECT_EQ(Texts(*sink, 6), "aa|bb|dd|ff|gg|hh");
  EXPECT_FALSE(MakePage(encoding, shape, file.buffers(), 9).ok());
}

TEST(V20Page, StringsInADictionary) {
  File file;
  const LeafShape shape = TextShape();
  Encoding encoding;
  auto* dictionary = encoding.mutable_dictionary();
  *dictionary->mutable_indices() = file.Flat(std::vector<uint8_t>{1, 2, 0, 1, 3, 3, 0, 2});
  *dictionary->mutable_items() =
      Binary(file.Flat(std::vector<uint64_t>{3, 5, 11}), file.FlatBits(8, Letters("onexx")), 6);
  dictionary->set_num_dictionary_items(3);
  auto page = MakePage(encoding, shape, file.buffers(), 8).ValueOrDie();
  auto sink = file.Read(*page, kSomeRows).ValueOrDie();
  EXPECT_EQ(file.rounds(), 1);
  // The third item is null.
  EXPECT_EQ(Texts(*sink, 6), "one|xx|one|-|-|xx");
  dictionary->set_num_dictionary_items(2);
  page = MakePage(encoding, shape, file.buffers(), 8).ValueOrDie();
  EXPECT_FALSE(file.Read(*page, {{4, 1}}).ok());
}

TEST(V20Page, DictionariesOfManyItemsWithoutBytesAreRefused) {
  File file;
  const LeafShape shape = TextShape();
  LeafShape typed = FixedShape(8);
  typed.is_dictionary = true;
  typed.dictionary_value_bits = 64;
  Encoding no_bits;
  no_bits.mutable_bitpacked()->set_uncompressed_bits_per_value(64);
  *no_bits.mutable_bitpacked()->mutable_buffer() = file.Add({});
  Encoding encoding;
  auto* dictionary = encoding.mutable_dictionary();
  *dictionary->mutable_indices() = file.Flat(std::vector<uint8_t>{1, 1});
  for (const uint32_t items : {1000u, 5000u, 4'000'000'000u}) {
    dictionary->set_num_dictionary_items(items);
    *dictionary->mutable_items() = AllNulls();
    EXPECT_EQ(MakePage(encoding, shape, file.buffers(), 2).ok(), items == 1000);
    EXPECT_EQ(MakePage(encoding, typed, file.buffers(), 2).ok(), items == 1000);
    *dictionary->mutable_items() = NoNulls(no_bits);
    EXPECT_EQ(MakePage(encoding, typed, file.buffers(), 2).ok(), items == 1000);
  }
}

TEST(V20Page, Lists) {
  File file;
  LeafShape shape = ItemSpanShape();
  encodings::List encoding;
  // [0, 1], null over items 2 and 3, [], [4, 5]
  *encoding.mutable_offsets() = NoNulls(file.Flat(std::vector<uint64_t>{2, 11, 4, 6}));
  encoding.set_null_offset_adjustment(7);
  encoding.set_num_items(6);
  auto page = ListPage::Make(encoding, shape, file.buffers(), 4, 100).ValueOrDie();
  auto sink = file.Read(*page, {{0, 2}, {3, 1}}).ValueOrDie();
  EXPECT_EQ(Values<uint64_t>(*sink, 6), (std::vector<uint64_t>{100, 102, 102, 102, 104, 106}));
  EXPECT_EQ(ValidityText(*sink, 3), "x-x");
  encoding.set_num_items(5);
  page = ListPage::Make(encoding, shape, file.buffers(), 4, 100).ValueOrDie();
  EXPECT_FALSE(file.Read(*page, {{0, 4}}).ok());
  encoding.set_null_offset_adjustment(0);
  EXPECT_FALSE(ListPage::Make(encoding, shape, file.buffers(), 4, 100).ok());
}

// The schema of a file may say so: fixed-size lists of strings, which are never other than null.
TEST(V20Page, ValuesOfNoBitsAreRefused) {
  for (const char* scheme : {"", "zstd"}) {
    File file;
    Encoding encoding = file.FlatBits(0, {1, 2, 3});
    encoding.mutable_flat()->mutable_compression()->set_scheme(scheme);
    EXPECT_FALSE(MakePage(encoding, FixedShape(0), file.buffers(), 1).ok()) << scheme;
    Encoding list;
    list.mutable_fixed_size_list()->set_dimension(2);
    *list.mutable_fixed_size_list()->mutable_items() = encoding;
    EXPECT_FALSE(MakePage(list, FixedShape(0, {2}), file.buffers(), 1).ok()) << scheme;
  }
}

TEST(V20Page, OtherKindsAreRefused) {
  File file;
  Encoding constant;
  constant.mutable_constant()->set_value("1234");
  EXPECT_TRUE(MakePage(constant, FixedShape(32), file.buffers(), 1).status().IsNotImplemented());
  EXPECT_TRUE(MakePage(Encoding(), FixedShape(32), file.buffers(), 1).status().IsNotImplemented());
  EXPECT_FALSE(MakePage(constant, TextShape(), file.buffers(), 1).ok());
  Encoding nowhere;
  nowhere.mutable_flat()->set_bits_per_value(32);
  EXPECT_FALSE(MakePage(nowhere, FixedShape(32), file.buffers(), 1).ok());
}

}  // namespace
}  // namespace lance::encoding::v20
