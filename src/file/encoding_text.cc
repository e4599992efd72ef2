#include "file/encoding_text.h"

#include <google/protobuf/repeated_field.h>

#include <string>
#include <vector>

#include "encodings21.pb.h"
#include "encodings23.pb.h"
#include "file/array_encoding_text.h"
#include "proto/parse.h"

namespace lance {
namespace {

namespace wire = lance::encodings21;
namespace planar = lance::encodings23;

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::string Call(std::string_view name, const std::vector<std::string>& parts) {
  return internal::Concat(name, "(", Join(parts, ", "), ")");
}

std::string Named(std::string_view name, const std::string& value) {
  return internal::Concat(name, "=", value);
}

std::string EncodingText(const wire::CompressiveEncoding& encoding);

std::string VariableText(const wire::Variable& variable) {
  if (variable.offsets().has_flat()) {
    return internal::Concat("variable<", variable.offsets().flat().bits_per_value(), ">");
  }
  return Call("variable", {Named("offsets", EncodingText(variable.offsets()))});
}

std::string ConstantText(bool has_value, const std::string& value) {
  return has_value ? internal::Concat(value.size(), " bytes") : "null";
}

std::string GeneralText(const wire::General& general) {
  std::string name;
  switch (general.compression().scheme()) {
    case wire::COMPRESSION_ALGORITHM_LZ4:
      name = "lz4";
      break;
    case wire::COMPRESSION_ALGORITHM_ZSTD:
      name = "zstd";
      break;
    default:
      name = internal::Concat("compression_", static_cast<int>(general.compression().scheme()));
  }
  if (general.compression().has_level()) {
    name += internal::Concat("<", general.compression().level(), ">");
  }
  return Call(name, {EncodingText(general.values())});
}

std::string FixedSizeListText(const wire::FixedSizeList& list) {
  std::vector<std::string> parts = {EncodingText(list.values())};
  if (list.has_validity()) parts.push_back("validity");
  return Call(internal::Concat("fixed_size_list<", list.items_per_value(), ">"), parts);
}

std::string PackedStructText(const wire::PackedStruct& packed) {
  std::vector<std::string> widths;
  for (uint64_t bits : packed.bits_per_value()) widths.push_back(std::to_string(bits));
  return Call(internal::Concat("packed_struct<", Join(widths, ","), ">"),
              {EncodingText(packed.values())});
}

std::string VariablePackedStructText(const wire::VariablePackedStruct& packed) {
  std::vector<std::string> fields;
  for (const auto& field : packed.fields()) fields.push_back(EncodingText(field.value()));
  return Call("variable_packed_struct", fields);
}

// Recursion is bounded: the parser of messages refuses more than 100 levels.
std::string EncodingText(const wire::CompressiveEncoding& encoding) {
  switch (encoding.compression_case()) {
    case wire::CompressiveEncoding::kFlat:
      return internal::Concat("flat<", encoding.flat().bits_per_value(), ">");
    case wire::CompressiveEncoding::kVariable:
      return VariableText(encoding.variable());
    case wire::CompressiveEncoding::kConstant:
      return Call("constant",
                  {ConstantText(encoding.constant().has_value(), encoding.constant().value())});
    case wire::CompressiveEncoding::kOutOfLineBitpacking: {
      const auto& bitpacking = encoding.out_of_line_bitpacking();
      return Call(internal::Concat("bitpack<", bitpacking.uncompressed_bits_per_value(), ">"),
                  {EncodingText(bitpacking.values())});
    }
    case wire::CompressiveEncoding::kInlineBitpacking:
      return internal::Concat("inline_bitpack<",
                              encoding.inline_bitpacking().uncompressed_bits_per_value(), ">");
    case wire::CompressiveEncoding::kFsst:
      return Call("fsst", {EncodingText(encoding.fsst().values())});
    case wire::CompressiveEncoding::kDictionary:
      return Call("dictionary",
                  {Named("indices", EncodingText(encoding.dictionary().indices())),
                   Named("items", EncodingText(encoding.dictionary().items())),
                   Named("count", std::to_string(encoding.dictionary().num_dictionary_items()))});
    case wire::CompressiveEncoding::kRle:
      return Call("rle", {Named("values", EncodingText(encoding.rle().values())),
                          Named("lengths", EncodingText(encoding.rle().run_lengths()))});
    case wire::CompressiveEncoding::kByteStreamSplit:
      return Call("byte_stream_split", {EncodingText(encoding.byte_stream_split().values())});
    case wire::CompressiveEncoding::kGeneral:
      return GeneralText(encoding.general());
    case wire::CompressiveEncoding::kFixedSizeList:
      return FixedSizeListText(encoding.fixed_size_list());
    case wire::CompressiveEncoding::kPackedStruct:
      return PackedStructText(encoding.packed_struct());
    case wire::CompressiveEncoding::kVariablePackedStruct:
      return VariablePackedStructText(encoding.variable_packed_struct());
    case wire::CompressiveEncoding::kRange:
      return internal::Concat("range<", encoding.range().start(), ", ", encoding.range().step(),
                              ">");
    case wire::CompressiveEncoding::kDelta:
      return Call("delta", {EncodingText(encoding.delta().deltas())});
    case wire::CompressiveEncoding::COMPRESSION_NOT_SET:
      return "unknown";
  }
  return "unknown";
}

std::string LayerText(int layer) {
  switch (layer) {
    case wire::REPDEF_ALL_VALID_ITEM:
      return "item";
    case wire::REPDEF_ALL_VALID_LIST:
      return "list";
    case wire::REPDEF_NULLABLE_ITEM:
      return "nullable_item";
    case wire::REPDEF_NULLABLE_LIST:
      return "nullable_list";
    case wire::REPDEF_EMPTYABLE_LIST:
      return "emptyable_list";
    case wire::REPDEF_NULL_AND_EMPTY_LIST:
      return "null_and_empty_list";
    default:
      return internal::Concat("layer_", layer);
  }
}

std::string LayersText(const google::protobuf::RepeatedField<int>& layers) {
  std::vector<std::string> names;
  for (int layer : layers) names.push_back(LayerText(layer));
  return Named("layers", Join(names, "/"));
}

template <typename Layout>
void AddLevels(const Layout& layout, std::vector<std::string>* parts) {
  if (layout.has_rep_compression()) {
    parts->push_back(Named("rep", EncodingText(layout.rep_compression())));
  }
  if (layout.has_def_compression()) {
    parts->push_back(Named("def", EncodingText(layout.def_compression())));
  }
}

PageText MiniBlockText(const wire::MiniBlockLayout& layout) {
  std::vector<std::string> parts = {Named("values", EncodingText(layout.value_compression()))};
  AddLevels(layout, &parts);
  if (layout.has_dictionary()) {
    parts.push_back(Named("dictionary", EncodingText(layout.dictionary())));
    parts.push_back(Named("dictionary_items", std::to_string(layout.num_dictionary_items())));
  }
  parts.push_back(LayersText(layout.layers()));
  parts.push_back(Named("items", std::to_string(layout.num_items())));
  return {"miniblock", Call("miniblock", parts)};
}

PageText FullZipText(const wire::FullZipLayout& layout) {
  std::vector<std::string> parts = {Named("values", EncodingText(layout.value_compression()))};
  if (layout.has_bits_per_value()) {
    parts.push_back(Named("bits_per_value", std::to_string(layout.bits_per_value())));
  }
  if (layout.has_bits_per_offset()) {
    parts.push_back(Named("bits_per_offset", std::to_string(layout.bits_per_offset())));
  }
  if (layout.bits_rep() > 0) parts.push_back(Named("rep_bits", std::to_string(layout.bits_rep())));
  if (layout.bits_def() > 0) parts.push_back(Named("def_bits", std::to_string(layout.bits_def())));
  parts.push_back(LayersText(layout.layers()));
  parts.push_back(Named("items", std::to_string(layout.num_items())));
  if (layout.num_visible_items() != layout.num_items()) {
    parts.push_back(Named("visible_items", std::to_string(layout.num_visible_items())));
  }
  return {"fullzip", Call("fullzip", parts)};
}

PageText ConstantLayoutText(const wire::ConstantLayout& layout) {
  std::vector<std::string> parts = {
      Named("value", ConstantText(layout.has_inline_value(), layout.inline_value()))};
  AddLevels(layout, &parts);
  parts.push_back(LayersText(layout.layers()));
  return {"constant", Call("constant", parts)};
}

PageText LayoutText(const wire::PageLayout& page) {
  switch (page.layout_case()) {
    case wire::PageLayout::kMiniBlockLayout:
      return MiniBlockText(page.mini_block_layout());
    case wire::PageLayout::kFullZipLayout:
      return FullZipText(page.full_zip_layout());
    case wire::PageLayout::kConstantLayout:
      return ConstantLayoutText(page.constant_layout());
    case wire::PageLayout::kBlobLayout: {
      PageText inner = LayoutText(page.blob_layout().inner_layout());
      return {"blob", Call("blob", {Named("inner", inner.encoding),
                                    LayersText(page.blob_layout().layers())})};
    }
    case wire::PageLayout::LAYOUT_NOT_SET:
      break;
  }
  return {"unknown", "unknown"};
}

// ---- pages of 2.3

std::string SparseText(const planar::SparseStructure& structure) {
  std::vector<std::string> names;
  for (const auto& layer : structure.layers()) {
    switch (layer.layer_case()) {
      case planar::SparseStructuralLayer::kValidity:
        names.emplace_back("item");
        break;
      case planar::SparseStructuralLayer::kList:
        names.emplace_back("list");
        break;
      case planar::SparseStructuralLayer::kFixedSizeList:
        names.push_back(
            internal::Concat("fixed_size_list<", layer.fixed_size_list().dimension(), ">"));
        break;
      case planar::SparseStructuralLayer::LAYER_NOT_SET:
        names.emplace_back("unknown");
        break;
    }
  }
  return Named("sparse", Join(names, "/"));
}

std::string StructureText(const planar::StructuralPlane& plane) {
  return plane.has_sparse() ? SparseText(plane.sparse()) : LayersText(plane.dense().layers());
}

PageText ChunkedText(const planar::ChunkedValues& values, const std::string& structure) {
  std::vector<std::string> parts = {Named("values", EncodingText(values.compression()))};
  const auto& levels = values.levels();
  if (levels.has_repetition()) parts.push_back(Named("rep", EncodingText(levels.repetition())));
  if (levels.has_definition()) parts.push_back(Named("def", EncodingText(levels.definition())));
  if (values.has_dictionary()) {
    parts.push_back(Named("dictionary", EncodingText(values.dictionary())));
    parts.push_back(Named("dictionary_items", std::to_string(values.num_dictionary_items())));
  }
  parts.push_back(structure);
  parts.push_back(Named("items", std::to_string(values.num_items())));
  return {"miniblock", Call("miniblock", parts)};
}

PageText ZippedText(const planar::ZippedValues& values, const std::string& structure) {
  std::vector<std::string> parts = {Named("values", EncodingText(values.compression()))};
  if (values.has_bits_per_value()) {
    parts.push_back(Named("bits_per_value", std::to_string(values.bits_per_value())));
  }
  if (values.has_bits_per_offset()) {
    parts.push_back(Named("bits_per_offset", std::to_string(values.bits_per_offset())));
  }
  parts.push_back(structure);
  parts.push_back(Named("items", std::to_string(values.num_items())));
  return {"fullzip", Call("fullzip", parts)};
}

PageText PlanarText(const planar::PlanarLayout& page) {
  const std::string structure = StructureText(page.structure());
  const planar::ValuePlane& values = page.values();
  switch (values.values_case()) {
    case planar::ValuePlane::kChunked:
      return ChunkedText(values.chunked(), structure);
    case planar::ValuePlane::kZipped:
      return ZippedText(values.zipped(), structure);
    case planar::ValuePlane::kConstant:
      return {"constant",
              Call("constant",
                   {Named("value", ConstantText(true, values.constant().scalar())), structure})};
    case planar::ValuePlane::kNone:
      return {"constant", Call("constant", {Named("value", "null"), structure})};
    case planar::ValuePlane::kIndexed: {
      const PageText items = ZippedText(values.indexed().items(), structure);
      return {"fullzip",
              Call("indexed", {Named("indices", EncodingText(values.indexed().indices())),
                               Named("items", items.encoding)})};
    }
    case planar::ValuePlane::VALUES_NOT_SET:
      break;
  }
  return {"unknown", "unknown"};
}

template <typename Message>
Result<Message> ParsePage(std::string_view bytes) {
  Message page;
  if (ParseMessage(bytes, &page)) return page;
  return Corrupt("description of a page is not a valid message of ", bytes.size(), " bytes");
}

}  // namespace

Result<PageText> DescribePage(std::string_view type, std::string_view message) {
  if (type == "lance.encodings.ArrayEncoding") return DescribeArrayEncoding(message);
  if (type == "lance.encodings23.PlanarLayout") {
    ARROW_ASSIGN_OR_RAISE(auto page, ParsePage<planar::PlanarLayout>(message));
    return PlanarText(page);
  }
  if (type != "lance.encodings21.PageLayout") {
    size_t dot = type.rfind('.');
    std::string name(dot == std::string_view::npos ? type : type.substr(dot + 1));
    return PageText{name, name};
  }
  ARROW_ASSIGN_OR_RAISE(auto page, ParsePage<wire::PageLayout>(message));
  return LayoutText(page);
}

}  // namespace lance
