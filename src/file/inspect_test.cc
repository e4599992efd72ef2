#include "file/inspect.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "encodings21.pb.h"
#include "encodings23.pb.h"
#include "file/encoding_text.h"

namespace lance {
namespace {

namespace wire = lance::encodings21;
namespace planar = lance::encodings23;

// The table i:int32 = [1, 2, null], s:string = ["a", "bc", null] as a file of 2.2, written by the
// reference: 645 bytes. `P64.` stands for 64 bytes of padding.
constexpr std::string_view kSmallFile =
    "30000000P60.030006000c000000000000000100fefe010000000200000000000000fefefefeP32.40000000"
    "P60.0300060014000000000000000100fefe1000000011000000130000001300000061626348fefefefeP24."
    "0a390a1912016920ffffffffffffffffff012a05696e743332300138010a1c120173180120ffffffffffffff"
    "ffff012a06737472696e673001380210030a2912270a250a1f2f6c616e63652e656e636f64696e67732e436f"
    "6c756d6e456e636f64696e6712020a0012480a020040120204201803223c123a0a380a1d2f6c616e63652e65"
    "6e636f64696e677332312e506167654c61796f757412170a1512040a0208101a040a02082032010338014803"
    "50010a2912270a250a1f2f6c616e63652e656e636f64696e67732e436f6c756d6e456e636f64696e6712020a"
    "00124e0a048001c0011202042818032240123e0a3c0a1d2f6c616e63652e656e636f64696e677332312e5061"
    "67654c61796f7574121b0a1912040a0208101a0812060a040a0208203201033801480350013d010000000000"
    "007500000000000000b2010000000000007b0000000000000000010000000000003d000000000000003d0100"
    "00000000002d020000000000004d020000000000000100000002000000020002004c414e43";
constexpr size_t kSmallFileBytes = 645;

std::string FromHex(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    if (text[0] == 'P') {
      size_t dot = text.find('.');
      bytes.append(std::stoul(std::string(text.substr(1, dot - 1))), '\x48');
      text.remove_prefix(dot + 1);
    } else {
      bytes += static_cast<char>(std::stoul(std::string(text.substr(0, 2)), nullptr, 16));
      text.remove_prefix(2);
    }
  }
  return bytes;
}

Result<FileInspection> Inspect(std::string_view bytes) {
  auto store = MakeMemoryStore();
  Context context;
  ARROW_RETURN_NOT_OK(store->Put(context, "folder/small.lance", AsBytes(bytes)));
  ARROW_ASSIGN_OR_RAISE(auto reader, store->OpenReader(context, "folder/small.lance"));
  return InspectFile(context, *reader);
}

TEST(InspectFile, TellsWhatTheFileHolds) {
  std::string bytes = FromHex(kSmallFile);
  ASSERT_EQ(bytes.size(), kSmallFileBytes);
  auto inspected = Inspect(bytes);
  ASSERT_TRUE(inspected.ok()) << inspected.status();
  const FileInspection& file = *inspected;
  EXPECT_EQ(file.version, FileVersion::kV2_2);
  EXPECT_EQ(file.rows, 3);
  EXPECT_EQ(file.size_bytes, kSmallFileBytes);
  EXPECT_EQ(file.num_pages(), 2);
  EXPECT_EQ(file.data_bytes(), 4 + 32 + 4 + 40);
  ASSERT_EQ(file.global_buffers.size(), 1);
  EXPECT_EQ(file.global_buffers[0].offset, 0x100);
  EXPECT_EQ(file.global_buffers[0].size, 0x3D);
  ASSERT_EQ(file.columns.size(), 2);

  const auto& numbers = file.columns[0];
  EXPECT_EQ(numbers.field, "i");
  EXPECT_EQ(numbers.logical_type, "int32");
  EXPECT_EQ(numbers.bytes(), 36);
  ASSERT_EQ(numbers.pages.size(), 1);
  EXPECT_EQ(numbers.pages[0].rows, 3);
  EXPECT_EQ(numbers.pages[0].layout, "miniblock");
  EXPECT_EQ(numbers.pages[0].encoding,
            "miniblock(values=flat<32>, def=flat<16>, layers=nullable_item, items=3)");

  const auto& strings = file.columns[1];
  EXPECT_EQ(strings.index, 1);
  EXPECT_EQ(strings.field, "s");
  EXPECT_EQ(strings.logical_type, "string");
  ASSERT_EQ(strings.pages.size(), 1);
  EXPECT_EQ(strings.pages[0].encoding,
            "miniblock(values=variable<32>, def=flat<16>, layers=nullable_item, items=3)");
  ASSERT_EQ(strings.pages[0].buffers.size(), 2);
  EXPECT_EQ(strings.pages[0].buffers[1].offset, 192);
  EXPECT_EQ(strings.pages[0].buffers[1].size, 40);
}

TEST(InspectFile, RefusesEveryCutWithThePath) {
  const std::string bytes = FromHex(kSmallFile);
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto inspected = Inspect(bytes.substr(0, size));
    ASSERT_FALSE(inspected.ok()) << size;
    EXPECT_EQ(GetErrorCode(inspected.status()), ErrorCode::kCorrupt) << size;
    EXPECT_NE(ErrorText(inspected.status()).find("folder/small.lance"), std::string::npos) << size;
  }
}

TEST(InspectFile, SurvivesEveryDamagedByte) {
  const std::string bytes = FromHex(kSmallFile);
  size_t refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (uint8_t flip : {0x01, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      if (!Inspect(damaged).ok()) ++refused;
    }
  }
  // Data and padding are not looked at; the tables and the footer are checked.
  EXPECT_GT(refused, 100u);
}

std::string Describe(const wire::PageLayout& page) {
  auto text = DescribePage("lance.encodings21.PageLayout", page.SerializeAsString());
  return text.ok() ? text->encoding : text.status().ToString();
}

std::string DescribeValues(const wire::CompressiveEncoding& values) {
  wire::PageLayout page;
  *page.mutable_mini_block_layout()->mutable_value_compression() = values;
  page.mutable_mini_block_layout()->add_layers(wire::REPDEF_ALL_VALID_ITEM);
  std::string text = Describe(page);
  constexpr std::string_view kBefore = "miniblock(values=";
  constexpr std::string_view kAfter = ", layers=item, items=0)";
  EXPECT_TRUE(text.starts_with(kBefore) && text.ends_with(kAfter)) << text;
  return text.substr(kBefore.size(), text.size() - kBefore.size() - kAfter.size());
}

wire::CompressiveEncoding Flat(uint64_t bits) {
  wire::CompressiveEncoding encoding;
  encoding.mutable_flat()->set_bits_per_value(bits);
  return encoding;
}

TEST(DescribePage, NamesEveryEncoding) {
  wire::CompressiveEncoding encoding;
  EXPECT_EQ(DescribeValues(encoding), "unknown");
  EXPECT_EQ(DescribeValues(Flat(1)), "flat<1>");
  *encoding.mutable_variable()->mutable_offsets() = Flat(64);
  EXPECT_EQ(DescribeValues(encoding), "variable<64>");
  const wire::CompressiveEncoding variable = encoding;
  encoding.mutable_constant();
  EXPECT_EQ(DescribeValues(encoding), "constant(null)");
  encoding.mutable_constant()->set_value("1234");
  EXPECT_EQ(DescribeValues(encoding), "constant(4 bytes)");
  encoding.mutable_out_of_line_bitpacking()->set_uncompressed_bits_per_value(32);
  *encoding.mutable_out_of_line_bitpacking()->mutable_values() = Flat(5);
  EXPECT_EQ(DescribeValues(encoding), "bitpack<32>(flat<5>)");
  encoding.mutable_inline_bitpacking()->set_uncompressed_bits_per_value(16);
  EXPECT_EQ(DescribeValues(encoding), "inline_bitpack<16>");
  *encoding.mutable_fsst()->mutable_values() = variable;
  EXPECT_EQ(DescribeValues(encoding), "fsst(variable<64>)");
  const wire::CompressiveEncoding fsst = encoding;
  encoding.mutable_general()->mutable_compression()->set_scheme(wire::COMPRESSION_ALGORITHM_ZSTD);
  encoding.mutable_general()->mutable_compression()->set_level(3);
  *encoding.mutable_general()->mutable_values() = fsst;
  EXPECT_EQ(DescribeValues(encoding), "zstd<3>(fsst(variable<64>))");
  encoding.mutable_dictionary()->set_num_dictionary_items(7);
  *encoding.mutable_dictionary()->mutable_indices() = Flat(8);
  *encoding.mutable_dictionary()->mutable_items() = variable;
  EXPECT_EQ(DescribeValues(encoding), "dictionary(indices=flat<8>, items=variable<64>, count=7)");
  *encoding.mutable_rle()->mutable_values() = Flat(32);
  *encoding.mutable_rle()->mutable_run_lengths() = Flat(8);
  EXPECT_EQ(DescribeValues(encoding), "rle(values=flat<32>, lengths=flat<8>)");
  *encoding.mutable_byte_stream_split()->mutable_values() = Flat(64);
  EXPECT_EQ(DescribeValues(encoding), "byte_stream_split(flat<64>)");
  encoding.mutable_fixed_size_list()->set_items_per_value(768);
  *encoding.mutable_fixed_size_list()->mutable_values() = Flat(32);
  EXPECT_EQ(DescribeValues(encoding), "fixed_size_list<768>(flat<32>)");
  encoding.mutable_fixed_size_list()->set_has_validity(true);
  EXPECT_EQ(DescribeValues(encoding), "fixed_size_list<768>(flat<32>, validity)");
  encoding.mutable_packed_struct()->add_bits_per_value(32);
  encoding.mutable_packed_struct()->add_bits_per_value(64);
  *encoding.mutable_packed_struct()->mutable_values() = Flat(96);
  EXPECT_EQ(DescribeValues(encoding), "packed_struct<32,64>(flat<96>)");
  auto* packed = encoding.mutable_variable_packed_struct();
  *packed->add_fields()->mutable_value() = Flat(32);
  *packed->add_fields()->mutable_value() = variable;
  EXPECT_EQ(DescribeValues(encoding), "variable_packed_struct(flat<32>, variable<64>)");
}

TEST(DescribePage, NamesEveryLayout) {
  wire::PageLayout page;
  EXPECT_EQ(Describe(page), "unknown");

  auto* mini_block = page.mutable_mini_block_layout();
  *mini_block->mutable_value_compression() = Flat(8);
  *mini_block->mutable_rep_compression() = Flat(16);
  *mini_block->mutable_def_compression() = Flat(16);
  *mini_block->mutable_dictionary() = Flat(128);
  mini_block->set_num_dictionary_items(9);
  mini_block->add_layers(wire::REPDEF_NULLABLE_ITEM);
  mini_block->add_layers(wire::REPDEF_NULL_AND_EMPTY_LIST);
  mini_block->add_layers(wire::REPDEF_EMPTYABLE_LIST);
  mini_block->add_layers(wire::REPDEF_NULLABLE_LIST);
  mini_block->add_layers(wire::REPDEF_ALL_VALID_LIST);
  mini_block->set_num_items(100);
  EXPECT_EQ(Describe(page),
            "miniblock(values=flat<8>, rep=flat<16>, def=flat<16>, dictionary=flat<128>, "
            "dictionary_items=9, layers=nullable_item/null_and_empty_list/emptyable_list/"
            "nullable_list/list, items=100)");

  auto* full_zip = page.mutable_full_zip_layout();
  *full_zip->mutable_value_compression() = Flat(4096);
  full_zip->set_bits_per_value(4096);
  full_zip->set_bits_rep(2);
  full_zip->set_bits_def(1);
  full_zip->set_num_items(10);
  full_zip->set_num_visible_items(8);
  full_zip->add_layers(wire::REPDEF_NULLABLE_ITEM);
  EXPECT_EQ(Describe(page),
            "fullzip(values=flat<4096>, bits_per_value=4096, rep_bits=2, def_bits=1, "
            "layers=nullable_item, items=10, visible_items=8)");

  page.mutable_constant_layout()->add_layers(wire::REPDEF_NULLABLE_ITEM);
  EXPECT_EQ(Describe(page), "constant(value=null, layers=nullable_item)");
  page.mutable_constant_layout()->set_inline_value("12345678");
  EXPECT_EQ(Describe(page), "constant(value=8 bytes, layers=nullable_item)");

  wire::PageLayout inner = page;
  *page.mutable_blob_layout()->mutable_inner_layout() = inner;
  page.mutable_blob_layout()->add_layers(wire::REPDEF_ALL_VALID_ITEM);
  EXPECT_EQ(Describe(page),
            "blob(inner=constant(value=8 bytes, layers=nullable_item), layers=item)");
}

TEST(DescribePage, NamesTheMessageOfOtherVersions) {
  auto text = DescribePage("lance.encodings99.NewLayout", "anything");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->layout, "NewLayout");
  EXPECT_EQ(text->encoding, "NewLayout");
  EXPECT_FALSE(DescribePage("lance.encodings23.PlanarLayout", "\xFF\xFF").ok());
  EXPECT_FALSE(DescribePage("lance.encodings21.PageLayout", "\xFF\xFF").ok());
}

TEST(DescribePage, PlanarPages) {
  planar::PlanarLayout page;
  page.mutable_structure()->mutable_dense()->add_layers(wire::REPDEF_NULLABLE_ITEM);
  auto* zipped = page.mutable_values()->mutable_zipped();
  *zipped->mutable_compression() = Flat(32);
  zipped->set_bits_per_value(32);
  zipped->set_num_items(5);
  auto text = DescribePage("lance.encodings23.PlanarLayout", page.SerializeAsString()).ValueOrDie();
  EXPECT_EQ(text.layout, "fullzip");
  EXPECT_EQ(text.encoding,
            "fullzip(values=flat<32>, bits_per_value=32, layers=nullable_item, items=5)");
  page.mutable_values()->mutable_none();
  page.mutable_structure()->mutable_sparse()->add_layers()->mutable_list();
  text = DescribePage("lance.encodings23.PlanarLayout", page.SerializeAsString()).ValueOrDie();
  EXPECT_EQ(text.encoding, "constant(value=null, sparse=list)");
}

TEST(DescribePage, RefusesDeepNesting) {
  wire::CompressiveEncoding encoding = Flat(8);
  for (int depth = 0; depth < 200; ++depth) {
    wire::CompressiveEncoding outer;
    *outer.mutable_byte_stream_split()->mutable_values() = encoding;
    encoding = outer;
  }
  wire::PageLayout page;
  *page.mutable_mini_block_layout()->mutable_value_compression() = encoding;
  EXPECT_FALSE(DescribePage("lance.encodings21.PageLayout", page.SerializeAsString()).ok());
}

}  // namespace
}  // namespace lance
