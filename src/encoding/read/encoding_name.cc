#include "encoding/read/encoding_name.h"

#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

std::string SchemeName(const encodings21::BufferCompression& compression) {
  switch (compression.scheme()) {
    case encodings21::COMPRESSION_ALGORITHM_LZ4:
      return "lz4";
    case encodings21::COMPRESSION_ALGORITHM_ZSTD:
      return "zstd";
    default:
      return "scheme " + std::to_string(static_cast<int>(compression.scheme()));
  }
}

std::string Call(const std::string& name, const encodings21::CompressiveEncoding& inner) {
  return name + "(" + EncodingName(inner) + ")";
}

std::string PackedStructName(const encodings21::VariablePackedStruct& encoding) {
  std::string text = "variable_packed_struct(";
  for (int i = 0; i < encoding.fields_size(); ++i) {
    text += (i > 0 ? ", " : "") + EncodingName(encoding.fields(i).value());
  }
  return text + ")";
}

}  // namespace

std::string EncodingName(const encodings21::CompressiveEncoding& encoding) {
  using Kind = encodings21::CompressiveEncoding::CompressionCase;
  switch (encoding.compression_case()) {
    case Kind::kFlat:
      return "flat<" + std::to_string(encoding.flat().bits_per_value()) + ">";
    case Kind::kVariable:
      return Call("variable", encoding.variable().offsets());
    case Kind::kConstant:
      return "constant";
    case Kind::kOutOfLineBitpacking:
      return Call("bitpack_out_of_line", encoding.out_of_line_bitpacking().values());
    case Kind::kInlineBitpacking:
      return "bitpack<" +
             std::to_string(encoding.inline_bitpacking().uncompressed_bits_per_value()) + ">";
    case Kind::kFsst:
      return Call("fsst", encoding.fsst().values());
    case Kind::kDictionary:
      return Call("dictionary", encoding.dictionary().items());
    case Kind::kRle:
      return "rle(" + EncodingName(encoding.rle().values()) + ", " +
             EncodingName(encoding.rle().run_lengths()) + ")";
    case Kind::kByteStreamSplit:
      return Call("byte_stream_split", encoding.byte_stream_split().values());
    case Kind::kGeneral:
      return Call(SchemeName(encoding.general().compression()), encoding.general().values());
    case Kind::kFixedSizeList:
      return Call("fixed_size_list<" +
                      std::to_string(encoding.fixed_size_list().items_per_value()) +
                      (encoding.fixed_size_list().has_validity() ? ", nullable>" : ">"),
                  encoding.fixed_size_list().values());
    case Kind::kPackedStruct:
      return Call("packed_struct", encoding.packed_struct().values());
    case Kind::kVariablePackedStruct:
      return PackedStructName(encoding.variable_packed_struct());
    case Kind::kRange:
      return "range";
    case Kind::kDelta:
      return Call("delta", encoding.delta().deltas());
    case Kind::COMPRESSION_NOT_SET:
      return "none";
  }
  return "unknown";
}

std::string LayoutName(const encodings21::PageLayout& layout) {
  using Kind = encodings21::PageLayout::LayoutCase;
  switch (layout.layout_case()) {
    case Kind::kMiniBlockLayout: {
      const auto& page = layout.mini_block_layout();
      std::string text = "miniblock(values=" + EncodingName(page.value_compression());
      if (page.has_rep_compression()) text += ", rep=" + EncodingName(page.rep_compression());
      if (page.has_def_compression()) text += ", def=" + EncodingName(page.def_compression());
      if (page.has_dictionary()) {
        text += ", dictionary=" + EncodingName(page.dictionary()) + " of " +
                std::to_string(page.num_dictionary_items());
      }
      return text + ")";
    }
    case Kind::kFullZipLayout: {
      const auto& page = layout.full_zip_layout();
      return "fullzip(values=" + EncodingName(page.value_compression()) +
             (page.bits_rep() > 0 ? ", rep=" + std::to_string(page.bits_rep()) + " bits" : "") +
             (page.bits_def() > 0 ? ", def=" + std::to_string(page.bits_def()) + " bits" : "") +
             ")";
    }
    case Kind::kConstantLayout:
      return layout.constant_layout().has_inline_value() ? "constant(inline value)" : "constant";
    case Kind::kBlobLayout:
      return "blob(" + LayoutName(layout.blob_layout().inner_layout()) + ")";
    case Kind::LAYOUT_NOT_SET:
      return "none";
  }
  return "unknown";
}

Result<CompressionScheme> SchemeOf(const encodings21::General& general) {
  if (general.values().has_general()) return Unsupported("compressed values compressed again");
  switch (general.compression().scheme()) {
    case encodings21::COMPRESSION_ALGORITHM_LZ4:
      return CompressionScheme::kLz4;
    case encodings21::COMPRESSION_ALGORITHM_ZSTD:
      return CompressionScheme::kZstd;
    default:
      return Unsupported("compression ", SchemeName(general.compression()));
  }
}

}  // namespace lance::encoding
