#include "encoding/write/page_encoder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "arrow/api.h"
#include "arrow/util/key_value_metadata.h"
#include "encoding/write/column_buffer.h"

namespace lance::encoding {
namespace {

std::vector<EncodedPage> Encode(const std::vector<std::shared_ptr<arrow::Array>>& arrays,
                                uint32_t minor_version = kMinorVersion2_2) {
  static std::vector<LeafPath> paths;
  paths = LeafPathsOf(*arrow::field("f", arrays[0]->type()), minor_version).ValueOrDie();
  std::vector<std::shared_ptr<arrow::ArrayData>> data;
  data.reserve(arrays.size());
  for (const auto& array : arrays) data.push_back(array->data());
  return EncodePages(paths[0], data, {minor_version, arrow::default_memory_pool()}).ValueOrDie();
}

encodings21::PageLayout LayoutOf(const std::shared_ptr<arrow::Array>& array,
                                 uint32_t minor_version = kMinorVersion2_2) {
  const auto pages = Encode({array}, minor_version);
  EXPECT_EQ(pages.size(), 1u);
  return pages[0].layout();
}

template <typename Builder, typename Make>
std::shared_ptr<arrow::Array> Build(int64_t count, Make&& make) {
  Builder builder;
  for (int64_t i = 0; i < count; ++i) EXPECT_TRUE(builder.Append(make(i)).ok());
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> WithNulls(const std::shared_ptr<arrow::Array>& array, int64_t every) {
  auto data = array->data()->Copy();
  auto bits = arrow::AllocateEmptyBitmap(data->length).ValueOrDie();
  for (int64_t i = 0; i < data->length; ++i) {
    if (i % every != 0) arrow::bit_util::SetBit(bits->mutable_data(), i);
  }
  data->buffers[0] = std::move(bits);
  data->null_count = arrow::kUnknownNullCount;
  return arrow::MakeArray(data);
}

std::shared_ptr<arrow::Array> RandomInt64(int64_t count) {
  std::mt19937_64 random(5);
  return Build<arrow::Int64Builder>(count, [&](int64_t) { return static_cast<int64_t>(random()); });
}

TEST(PageEncoderTest, FixedWidthCodecs) {
  const auto wide = LayoutOf(RandomInt64(3000)).mini_block_layout();
  EXPECT_EQ(wide.value_compression().flat().bits_per_value(), 64u);
  EXPECT_TRUE(wide.has_large_chunk());
  EXPECT_FALSE(LayoutOf(RandomInt64(3000), kMinorVersion2_1).mini_block_layout().has_large_chunk());
  const auto small = Build<arrow::Int32Builder>(3000, [](int64_t i) { return i * 7 % 1000; });
  EXPECT_TRUE(LayoutOf(small).mini_block_layout().value_compression().has_inline_bitpacking());
  const auto runs = Build<arrow::Int32Builder>(9000, [](int64_t i) { return i / 900 * 77777777; });
  EXPECT_TRUE(LayoutOf(runs).mini_block_layout().value_compression().has_rle());
  const auto flags = Build<arrow::BooleanBuilder>(3000, [](int64_t i) { return i % 3 == 0; });
  EXPECT_EQ(LayoutOf(flags).mini_block_layout().value_compression().flat().bits_per_value(), 1u);
}

TEST(PageEncoderTest, FewLargeNumbersGetADictionarySince2_2) {
  const auto few = Build<arrow::Int64Builder>(
      5000, [](int64_t i) { return (i * 31 % 20) * 0x0123456789ABCDEF; });
  const auto layout = LayoutOf(few).mini_block_layout();
  EXPECT_EQ(layout.num_dictionary_items(), 20u);
  EXPECT_EQ(layout.value_compression().inline_bitpacking().uncompressed_bits_per_value(), 32u);
  EXPECT_EQ(LayoutOf(few, kMinorVersion2_1).mini_block_layout().num_dictionary_items(), 0u);
}

TEST(PageEncoderTest, StringCodecs) {
  std::mt19937 random(6);
  auto number = [&](int64_t i) {
    return "customer number " + std::to_string(random()) + " of all";
  };
  const auto unique = Build<arrow::StringBuilder>(5000, number);
  EXPECT_TRUE(LayoutOf(unique).mini_block_layout().value_compression().has_fsst());
  const auto few =
      Build<arrow::StringBuilder>(5000, [](int64_t i) { return std::to_string(i % 7); });
  EXPECT_EQ(LayoutOf(few).mini_block_layout().num_dictionary_items(), 7u);
  const auto binary = Build<arrow::BinaryBuilder>(5000, number);
  EXPECT_TRUE(LayoutOf(binary).mini_block_layout().value_compression().has_variable());
  const auto wide = Build<arrow::LargeStringBuilder>(
      300, [&](int64_t i) { return number(i) + std::string(300, 'x') + number(i); });
  const auto full_zip = LayoutOf(wide).full_zip_layout();
  EXPECT_EQ(full_zip.bits_per_offset(), 64u);
  EXPECT_TRUE(full_zip.value_compression().has_fsst());
  std::string text(40000, 'y');
  for (size_t i = 0; i < text.size(); i += 2) text[i] = static_cast<char>('a' + random() % 4);
  const auto huge = Build<arrow::StringBuilder>(5, [&](int64_t i) { return number(i) + text; });
  EXPECT_TRUE(LayoutOf(huge).full_zip_layout().value_compression().has_general());
}

encodings21::PageLayout LayoutWithHints(const std::shared_ptr<arrow::Array>& array,
                                        const std::vector<std::string>& keys_and_values,
                                        uint32_t minor_version = kMinorVersion2_2) {
  auto metadata = std::make_shared<arrow::KeyValueMetadata>();
  for (size_t i = 0; i < keys_and_values.size(); i += 2) {
    metadata->Append("lance-encoding:" + keys_and_values[i], keys_and_values[i + 1]);
  }
  auto paths = LeafPathsOf(*arrow::field("f", array->type()), minor_version).ValueOrDie();
  paths[0].hints =
      ParseEncodingHints(nullptr, metadata.get(), metadata.get(), kMinorVersion2_2).ValueOrDie();
  const std::vector<std::shared_ptr<arrow::ArrayData>> data = {array->data()};
  return EncodePages(paths[0], data, {minor_version, arrow::default_memory_pool()})
      .ValueOrDie()[0]
      .layout();
}

// A sample of every so many strings may meet nothing but nulls.
TEST(PageEncoderTest, PeriodsDontHideWhatCompresses) {
  for (const int period : {2, 3, 5, 7, 10, 50}) {
    arrow::StringBuilder builder;
    for (int i = 0; i < 3000; ++i) {
      const std::string text =
          "common-prefix-" + std::to_string(i % 50) + "-" + std::to_string(i * 7919);
      ASSERT_TRUE((i % period == 0 ? builder.AppendNull() : builder.Append(text)).ok());
    }
    EXPECT_TRUE(
        LayoutOf(builder.Finish().ValueOrDie()).mini_block_layout().value_compression().has_fsst())
        << period;
  }
}

TEST(PageEncoderTest, HintsForNumbers) {
  const auto small = Build<arrow::Int32Builder>(9000, [](int64_t i) { return i % 16; });
  auto values = [&](const std::vector<std::string>& hints) {
    return LayoutWithHints(small, hints).mini_block_layout().value_compression();
  };
  EXPECT_TRUE(values({"compression", "none"}).has_flat());
  const auto zstd = values({"compression", "zstd", "compression-level", "7", "bss", "off"});
  EXPECT_EQ(zstd.general().compression().scheme(), encodings21::COMPRESSION_ALGORITHM_ZSTD);
  EXPECT_EQ(zstd.general().compression().level(), 7);
  EXPECT_TRUE(zstd.general().values().has_inline_bitpacking());
  const auto split = values({"compression", "lz4", "bss", "on"});
  EXPECT_EQ(split.general().compression().scheme(), encodings21::COMPRESSION_ALGORITHM_LZ4);
  EXPECT_TRUE(split.general().values().has_byte_stream_split());
  EXPECT_TRUE(values({"bss", "on"}).has_inline_bitpacking()) << "only with a general scheme";
  const auto zipped = LayoutWithHints(small, {"structural-encoding", "fullzip"});
  EXPECT_EQ(zipped.full_zip_layout().bits_per_value(), 32u);
  const auto runs = Build<arrow::Int32Builder>(9000, [](int64_t i) { return i / 9 * 77777777; });
  auto layout = LayoutWithHints(runs, {}).mini_block_layout();
  EXPECT_TRUE(layout.value_compression().has_rle());
  layout = LayoutWithHints(runs, {"rle-threshold", "0.1"}).mini_block_layout();
  EXPECT_FALSE(layout.value_compression().has_rle());
}

TEST(PageEncoderTest, HintsForStrings) {
  std::mt19937 random(6);
  const auto words = Build<arrow::BinaryBuilder>(
      5000, [&](int64_t) { return "customer number " + std::to_string(random()) + " of all"; });
  auto values = [&](const std::vector<std::string>& hints) {
    return LayoutWithHints(words, hints).mini_block_layout().value_compression();
  };
  EXPECT_TRUE(values({}).has_variable());
  EXPECT_TRUE(values({"compression", "fsst"}).has_fsst());
  EXPECT_TRUE(values({"compression", "lz4"}).general().values().has_variable());
  const auto long_words = Build<arrow::BinaryBuilder>(
      500, [&](int64_t) { return std::string(200, 'x') + std::to_string(random()); });
  const auto zipped = LayoutWithHints(long_words, {"structural-encoding", "fullzip", "compression",
                                                   "zstd", "compression-level", "5"});
  const auto& zstd = zipped.full_zip_layout().value_compression().general();
  EXPECT_EQ(zstd.compression().level(), 5);
  const auto wide = Build<arrow::StringBuilder>(
      100, [&](int64_t) { return std::string(300, 'x') + std::to_string(random()); });
  EXPECT_TRUE(LayoutWithHints(wide, {}).has_full_zip_layout());
  EXPECT_TRUE(LayoutWithHints(wide, {"structural-encoding", "miniblock"}).has_mini_block_layout());
}

TEST(PageEncoderTest, HintsForDictionaries) {
  const auto some =
      Build<arrow::StringBuilder>(5000, [](int64_t i) { return "word" + std::to_string(i % 700); });
  auto layout = [&](const std::vector<std::string>& hints) {
    return LayoutWithHints(some, hints).mini_block_layout();
  };
  EXPECT_EQ(layout({}).num_dictionary_items(), 700u);
  EXPECT_EQ(layout({"dict-divisor", "8"}).num_dictionary_items(), 0u);
  EXPECT_EQ(layout({"dict-max-size", "1000"}).num_dictionary_items(), 0u);
  EXPECT_EQ(layout({"dict-size-ratio", "0.1"}).num_dictionary_items(), 0u);
  EXPECT_TRUE(layout({"dict-values-compression", "none"}).dictionary().has_variable());
  const auto zstd = layout({"dict-values-compression", "zstd"}).dictionary().general();
  EXPECT_EQ(zstd.compression().scheme(), encodings21::COMPRESSION_ALGORITHM_ZSTD);
}

TEST(PageEncoderTest, ProfileSmall) {
  std::mt19937 random(8);
  const std::vector<std::string> small = {"profile", "small"};
  const auto texts = Build<arrow::StringBuilder>(
      9000, [&](int64_t) { return "customer number " + std::to_string(random()) + " of all"; });
  const auto text = LayoutWithHints(texts, small).mini_block_layout().value_compression();
  EXPECT_EQ(text.general().compression().scheme(), encodings21::COMPRESSION_ALGORITHM_ZSTD);
  EXPECT_TRUE(text.general().values().has_fsst());
  const auto wide = Build<arrow::StringBuilder>(
      900, [&](int64_t) { return std::string(300, 'x') + std::to_string(random()); });
  EXPECT_TRUE(LayoutWithHints(wide, small).has_mini_block_layout());
  const auto sorted =
      Build<arrow::Int64Builder>(9000, [&](int64_t i) { return 1000000007 * i + random() % 9; });
  const auto numbers = LayoutWithHints(sorted, small).mini_block_layout().value_compression();
  EXPECT_TRUE(numbers.general().values().has_byte_stream_split());
  const auto noise = Build<arrow::Int64Builder>(
      9000, [&](int64_t) { return static_cast<int64_t>(uint64_t{random()} << 32 | random()); });
  EXPECT_TRUE(LayoutWithHints(noise, small).mini_block_layout().value_compression().has_flat());
  const auto skewed = Build<arrow::StringBuilder>(9000, [&](int64_t) {
    return random() % 8 != 0 ? std::string("most of all") : "other " + std::to_string(random() % 9);
  });
  const auto layout = LayoutWithHints(skewed, small).mini_block_layout();
  EXPECT_GT(layout.num_dictionary_items(), 0u);
  EXPECT_EQ(layout.value_compression().general().values().flat().bits_per_value(), 8u);
  const auto asked = LayoutWithHints(texts, {"profile", "small", "compression", "none"});
  EXPECT_TRUE(asked.mini_block_layout().value_compression().has_variable());
}

TEST(PageEncoderTest, NearestProfileCounts) {
  const arrow::KeyValueMetadata small({"lance-encoding:profile"}, {"small"});
  const arrow::KeyValueMetadata fast({"lance-encoding:profile"}, {"fast"});
  auto wants_small = [](auto... metadata) {
    return ParseEncodingHints(metadata..., kMinorVersion2_2).ValueOrDie().wants_small();
  };
  EXPECT_TRUE(wants_small(&small, nullptr, nullptr));
  EXPECT_FALSE(wants_small(&small, &fast, nullptr));
  EXPECT_TRUE(wants_small(&fast, &fast, &small));
  const auto refused = ParseEncodingHints(&small, nullptr, nullptr, kMinorVersion2_0);
  EXPECT_EQ(GetErrorCode(refused.status()), ErrorCode::kUnsupported);
}

TEST(PageEncoderTest, HintsThatMeanNothingAreRefused) {
  auto parse = [](const std::string& key, const std::string& value) {
    const arrow::KeyValueMetadata metadata({"lance-encoding:" + key}, {value});
    return ParseEncodingHints(nullptr, &metadata, &metadata, kMinorVersion2_2).status();
  };
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"compression", "gzip"},
      {"compression-level", "high"},
      {"profile", "tiny"},
      {"compression-level", "99"},
      {"bss", "yes"},
      {"rle-threshold", "2"},
      {"rle-threshold", "nan"},
      {"minichunk-size", "0"},
      {"dict-divisor", "-1"},
      {"dict-size-ratio", "0"},
      {"dict-values-compression", "fsst"},
      {"dict-max-size", "1 MiB"},
      {"structural-encoding", "zip"},
  };
  for (const auto& [key, value] : bad) {
    const Status status = parse(key, value);
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kUserInput) << key << " " << value;
    EXPECT_NE(status.message().find(key), std::string::npos) << status;
  }
  EXPECT_EQ(GetErrorCode(parse("structural-encoding", "sparse")), ErrorCode::kUnsupported);
  EXPECT_TRUE(parse("packed", "true").ok()) << "not about how values are encoded";
}

TEST(PageEncoderTest, ConstantsSince2_2) {
  const auto sevens = Build<arrow::Int32Builder>(5000, [](int64_t) { return 7; });
  EXPECT_EQ(LayoutOf(sevens).constant_layout().inline_value(), std::string("\7\0\0\0", 4));
  EXPECT_TRUE(LayoutOf(sevens, kMinorVersion2_1).has_mini_block_layout());
  const auto text = Build<arrow::StringBuilder>(10, [](int64_t) { return "hello"; });
  const auto pages = Encode({text});
  ASSERT_EQ(pages[0].buffers.size(), 1u);
  EXPECT_EQ(pages[0].buffers[0]->ToString(),
            std::string("\2\0\0\0\10\0\0\0\5\0\0\0\0\0\0\0\5\0\0\0hello", 25));
}

// The plain levels of a constant page would be larger than the values.
TEST(PageEncoderTest, LongConstantsWithNullsArePacked) {
  const auto sevens = WithNulls(Build<arrow::Int32Builder>(50000, [](int64_t) { return 7; }), 3);
  EXPECT_TRUE(LayoutOf(sevens).mini_block_layout().value_compression().has_rle());
  const auto text =
      WithNulls(Build<arrow::StringBuilder>(50000, [](int64_t) { return "hello"; }), 3);
  EXPECT_EQ(LayoutOf(text).mini_block_layout().num_dictionary_items(), 1u);
  const auto few = WithNulls(Build<arrow::Int32Builder>(500, [](int64_t) { return 7; }), 3);
  EXPECT_TRUE(LayoutOf(few).constant_layout().has_inline_value());
}

TEST(PageEncoderTest, AllNull) {
  const auto nulls = arrow::MakeArrayOfNull(arrow::utf8(), 1000).ValueOrDie();
  const auto pages = Encode({nulls});
  EXPECT_TRUE(pages[0].layout().has_constant_layout());
  EXPECT_TRUE(pages[0].buffers.empty());
}

TEST(PageEncoderTest, EmptyStructsStoreNothing) {
  const auto type = arrow::struct_(arrow::FieldVector{});
  const auto empty = std::make_shared<arrow::StructArray>(type, 10, arrow::ArrayVector{});
  const auto pages = Encode({empty});
  EXPECT_TRUE(pages[0].layout().has_constant_layout());
  EXPECT_TRUE(pages[0].buffers.empty());
  const auto paths = LeafPathsOf(*arrow::field("f", type), kMinorVersion2_2).ValueOrDie();
  const std::shared_ptr<arrow::ArrayData> nulls[] = {WithNulls(empty, 3)->data()};
  const auto refused =
      EncodePages(paths[0], nulls, {kMinorVersion2_2, arrow::default_memory_pool()});
  EXPECT_EQ(GetErrorCode(refused.status()), ErrorCode::kUnsupported);
}

TEST(PageEncoderTest, ListsOfNullsStoreOnlyValidity) {
  const auto items = arrow::MakeArrayOfNull(arrow::float32(), 96 * 20).ValueOrDie();
  const auto pages = Encode({arrow::FixedSizeListArray::FromArrays(items, 96).ValueOrDie()});
  const auto& layout = pages[0].layout().full_zip_layout();
  EXPECT_TRUE(layout.value_compression().fixed_size_list().values().has_constant());
  EXPECT_EQ(pages[0].buffers[0]->size(), 96 / 8 * 20);
}

TEST(PageEncoderTest, EmbeddingsAreStoredInPlace) {
  const auto items = Build<arrow::FloatBuilder>(96 * 20, [](int64_t i) { return i * 0.5f; });
  const auto vectors = arrow::FixedSizeListArray::FromArrays(items, 96).ValueOrDie();
  const auto pages = Encode({vectors});
  EXPECT_EQ(pages[0].layout().full_zip_layout().bits_per_value(), 96u * 32);
  ASSERT_EQ(pages[0].buffers.size(), 1u);
  EXPECT_EQ(pages[0].buffers[0]->data(), items->data()->buffers[1]->data());
}

TEST(PageEncoderTest, ChunksArePowersOfTwoWithinTheLimits) {
  std::mt19937 random(8);
  const auto texts = Build<arrow::StringBuilder>(20000, [&](int64_t i) {
    return std::string(random() % 250, static_cast<char>('a' + i % 26));
  });
  for (uint32_t version : {kMinorVersion2_1, kMinorVersion2_2}) {
    const auto pages = Encode({WithNulls(texts, 5)}, version);
    const auto& words = *pages[0].buffers[0];
    const int64_t width = version == kMinorVersion2_1 ? 2 : 4;
    uint64_t total = 0;
    for (int64_t at = 0; at < words.size(); at += width) {
      uint32_t word = 0;
      std::memcpy(&word, words.data() + at, static_cast<size_t>(width));
      total += ((word >> 4) + 1) * 8;
      EXPECT_LE(((word >> 4) + 1) * 8, 32768u);
      const bool last = at + width == words.size();
      EXPECT_TRUE(last ? (word & 15) == 0 : (word & 15) >= 1 && (word & 15) <= 12);
    }
    EXPECT_EQ(static_cast<int64_t>(total), pages[0].buffers[1]->size());
  }
}

std::shared_ptr<arrow::Array> MostlyEmptyLists(int64_t rows, int64_t full_every) {
  auto items = std::make_shared<arrow::Int32Builder>();
  arrow::ListBuilder builder(arrow::default_memory_pool(), items);
  for (int64_t i = 0; i < rows; ++i) {
    EXPECT_TRUE(builder.Append().ok());
    if (i % full_every != 0) continue;
    EXPECT_TRUE(items->Append(static_cast<int32_t>(i)).ok());
  }
  return builder.Finish().ValueOrDie();
}

TEST(PageEncoderTest, TooManyEmptyListsSplitThePage) {
  const auto pages = Encode({MostlyEmptyLists(200000, 1000)});
  EXPECT_GT(pages.size(), 2u);
  uint64_t rows = 0;
  for (const EncodedPage& page : pages) {
    EXPECT_TRUE(page.layout().has_mini_block_layout());
    rows += page.num_rows;
  }
  EXPECT_EQ(rows, 200000u);
  // Few empty lists don't.
  EXPECT_EQ(Encode({MostlyEmptyLists(200000, 2)}).size(), 1u);
}

TEST(PageEncoderTest, OneHugeRowOfEmptyListsIsZipped) {
  const auto inner = MostlyEmptyLists(200000, 100000);
  const auto outer =
      arrow::ListArray::FromArrays(
          *Build<arrow::Int32Builder>(2, [](int64_t i) { return i * 200000; }), *inner)
          .ValueOrDie();
  const auto pages = Encode({outer});
  ASSERT_EQ(pages.size(), 1u);
  EXPECT_TRUE(pages[0].layout().has_full_zip_layout());
}

TEST(PageEncoderTest, DictionariesThatDontFitTogetherSplitThePage) {
  auto dictionary = [](int first) {
    const auto items =
        Build<arrow::StringBuilder>(100, [&](int64_t i) { return std::to_string(first + i); });
    const auto keys = Build<arrow::Int8Builder>(100, [](int64_t i) { return i; });
    return arrow::DictionaryArray::FromArrays(arrow::dictionary(arrow::int8(), arrow::utf8()), keys,
                                              items)
        .ValueOrDie();
  };
  EXPECT_EQ(Encode({dictionary(0), dictionary(20)}).size(), 1u);
  EXPECT_EQ(Encode({dictionary(0), dictionary(20)})[0]
                .layout()
                .mini_block_layout()
                .num_dictionary_items(),
            120u);
  EXPECT_EQ(Encode({dictionary(0), dictionary(100)}).size(), 2u);
}

TEST(ColumnBufferTest, LargeArraysBecomeSeveralJobs) {
  auto paths = LeafPathsOf(*arrow::field("f", arrow::int64()), kMinorVersion2_2).ValueOrDie();
  ColumnBuffer buffer(paths[0], 8 << 20);
  const auto array =
      arrow::MakeArrayFromScalar(*arrow::MakeScalar(int64_t{1}), 9 << 20).ValueOrDie();  // 72 MiB
  ASSERT_TRUE(buffer.Add(array->data(), arrow::default_memory_pool()).ok());
  EXPECT_TRUE(buffer.is_full());
  const auto jobs = buffer.TakeJobs();
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[1].arrays[0]->length, 3 << 20);
  EXPECT_EQ(buffer.buffered_bytes(), 0u);
  EXPECT_TRUE(buffer.TakeJobs().empty());
}

TEST(ColumnBufferTest, BytesAreThoseOfTheLeafAndTheWayToIt) {
  const auto lists = MostlyEmptyLists(1000, 2);
  const auto type = arrow::struct_({arrow::field("l", lists->type())});
  const auto array = std::make_shared<arrow::StructArray>(type, 1000, arrow::ArrayVector{lists});
  const auto path = LeafPathsOf(*arrow::field("f", type), kMinorVersion2_2).ValueOrDie()[0];
  EXPECT_EQ(LeafBytes(path, *array->data()), 1000u * 4 + 500 * 4);
  EXPECT_EQ(LeafBytes(path, *array->Slice(10, 20)->data()), 20u * 4 + 10 * 4);
}

TEST(ColumnBufferTest, ForbiddenNullsAreThoseBelowValidParents) {
  const auto leaf = arrow::field("x", arrow::int32(), /*nullable=*/false);
  const auto path =
      LeafPathsOf(*arrow::field("f", arrow::struct_({leaf})), kMinorVersion2_2).ValueOrDie()[0];
  const auto values = WithNulls(
      Build<arrow::Int32Builder>(10, [](int64_t i) { return static_cast<int32_t>(i); }), 5);
  const auto type = arrow::struct_({leaf});
  const auto valid = std::make_shared<arrow::StructArray>(type, 10, arrow::ArrayVector{values});
  auto* pool = arrow::default_memory_pool();
  const PathStep* step = FindForbiddenNull(path, valid->data(), pool).ValueOrDie();
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->name, "f.x");
  EXPECT_EQ(FindForbiddenNull(path, WithNulls(valid, 5)->data(), pool).ValueOrDie(), nullptr);
  EXPECT_EQ(FindForbiddenNull(path, valid->Slice(1, 4)->data(), pool).ValueOrDie(), nullptr);
}

}  // namespace
}  // namespace lance::encoding
