#include "encoding/read/planar_layout.h"

#include "encoding/read/sparse_page.h"
#include "encodings23.pb.h"

namespace lance::encoding {
namespace {

template <typename Layout>
void SetLayers(const std::vector<int>& layers, Layout* layout) {
  for (const int layer : layers) {
    layout->add_layers(static_cast<encodings21::RepDefLayer>(layer));
  }
}

}  // namespace

encodings21::PageLayout ChunkedLayout(const encodings23::ChunkedValues& values,
                                      const std::vector<int>& layers) {
  encodings21::PageLayout out;
  encodings21::MiniBlockLayout& page = *out.mutable_mini_block_layout();
  *page.mutable_value_compression() = values.compression();
  if (values.levels().has_repetition()) {
    *page.mutable_rep_compression() = values.levels().repetition();
  }
  if (values.levels().has_definition()) {
    *page.mutable_def_compression() = values.levels().definition();
  }
  if (values.has_dictionary()) *page.mutable_dictionary() = values.dictionary();
  page.set_num_dictionary_items(values.num_dictionary_items());
  page.set_num_buffers(values.num_buffers());
  page.set_repetition_index_depth(values.levels().repetition_index_depth());
  page.set_num_items(values.num_items());
  page.set_has_large_chunk(true);
  SetLayers(layers, &page);
  return out;
}

encodings21::PageLayout ZippedLayout(const encodings23::ZippedValues& values,
                                     const std::vector<int>& layers) {
  encodings21::PageLayout out;
  encodings21::FullZipLayout& page = *out.mutable_full_zip_layout();
  *page.mutable_value_compression() = values.compression();
  page.set_bits_rep(values.levels().bits_repetition());
  page.set_bits_def(values.levels().bits_definition());
  if (values.has_bits_per_offset()) {
    page.set_bits_per_offset(values.bits_per_offset());
  } else {
    page.set_bits_per_value(values.bits_per_value());
  }
  SetLayers(layers, &page);
  return out;
}

encodings21::PageLayout ConstantLayout(const encodings23::ConstantValue& value,
                                       const std::vector<int>& layers) {
  encodings21::PageLayout out;
  out.mutable_constant_layout()->set_inline_value(value.scalar());
  SetLayers(layers, out.mutable_constant_layout());
  return out;
}

namespace {

Result<encodings21::PageLayout> DenseLayout(const encodings23::PlanarLayout& layout) {
  using Kind = encodings23::ValuePlane::ValuesCase;
  const auto& dense = layout.structure().dense();
  const std::vector<int> layers(dense.layers().begin(), dense.layers().end());
  switch (layout.values().values_case()) {
    case Kind::kChunked:
      return ChunkedLayout(layout.values().chunked(), layers);
    case Kind::kZipped:
      return ZippedLayout(layout.values().zipped(), layers);
    case Kind::kConstant:
      return ConstantLayout(layout.values().constant(), layers);
    case Kind::kNone: {
      encodings21::PageLayout out;
      SetLayers(layers, out.mutable_constant_layout());
      return out;
    }
    case Kind::kIndexed:
    case Kind::VALUES_NOT_SET:
      break;
  }
  return Corrupt("dense page without values of its own");
}

}  // namespace

Result<std::unique_ptr<PageReader>> MakePlanarPage(const encodings23::PlanarLayout& layout,
                                                   const LeafShape& shape,
                                                   std::vector<PageBuffer> buffers,
                                                   uint64_t num_rows) {
  if (layout.structure().has_sparse()) {
    return SparsePage::Make(layout.structure().sparse(), layout.values(), shape, std::move(buffers),
                            num_rows);
  }
  if (!layout.structure().has_dense()) return Corrupt("page without structure");
  ARROW_ASSIGN_OR_RAISE(auto dense, DenseLayout(layout));
  return PageReader::Make(dense, shape, std::move(buffers), num_rows, /*version_2_1=*/false);
}

}  // namespace lance::encoding
