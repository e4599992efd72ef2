#include "encoding/write/planar_page.h"

#include <utility>

#include "arrow/array/data.h"
#include "encoding/write/sparse_structure.h"

namespace lance::encoding {
namespace {

using encodings23::PlanarLayout;

void DescribeChunks(const encodings21::MiniBlockLayout& layout, bool levels,
                    encodings23::ChunkedValues* out) {
  *out->mutable_compression() = layout.value_compression();
  if (levels) {
    if (layout.has_rep_compression()) {
      *out->mutable_levels()->mutable_repetition() = layout.rep_compression();
    }
    if (layout.has_def_compression()) {
      *out->mutable_levels()->mutable_definition() = layout.def_compression();
    }
    out->mutable_levels()->set_repetition_index_depth(layout.repetition_index_depth());
    out->set_num_items(layout.num_items());
  }
  if (layout.has_dictionary()) *out->mutable_dictionary() = layout.dictionary();
  out->set_num_dictionary_items(layout.num_dictionary_items());
  out->set_num_buffers(layout.num_buffers());
}

void DescribeZipped(const encodings21::FullZipLayout& layout, bool levels,
                    encodings23::ZippedValues* out) {
  *out->mutable_compression() = layout.value_compression();
  if (levels) {
    out->mutable_levels()->set_bits_repetition(layout.bits_rep());
    out->mutable_levels()->set_bits_definition(layout.bits_def());
  }
  if (layout.has_bits_per_offset()) {
    out->set_bits_per_offset(layout.bits_per_offset());
  } else {
    out->set_bits_per_value(layout.bits_per_value());
  }
  out->set_num_items(layout.num_items());
  out->set_num_visible_items(layout.num_visible_items());
}

void DescribeValues(const encodings21::PageLayout& layout, bool levels,
                    encodings23::ValuePlane* out) {
  if (layout.has_mini_block_layout()) {
    DescribeChunks(layout.mini_block_layout(), levels, out->mutable_chunked());
  } else if (layout.has_full_zip_layout()) {
    DescribeZipped(layout.full_zip_layout(), levels, out->mutable_zipped());
  } else {
    out->mutable_none();
  }
}

}  // namespace

PlanarLayout DensePlanarLayout(const encodings21::PageLayout& layout) {
  PlanarLayout out;
  DescribeValues(layout, /*levels=*/true, out.mutable_values());
  const auto& layers = layout.has_mini_block_layout() ? layout.mini_block_layout().layers()
                       : layout.has_full_zip_layout() ? layout.full_zip_layout().layers()
                                                      : layout.constant_layout().layers();
  *out.mutable_structure()->mutable_dense()->mutable_layers() = layers;
  return out;
}

Result<EncodedPage> EncodeStructurePage(const PageContext& context, const LeafPath& path) {
  EncodedPage page;
  PlanarLayout layout;
  layout.mutable_values()->mutable_none();
  ARROW_RETURN_NOT_OK(EncodeSparseStructure(path, context.rows, context.pool,
                                            layout.mutable_structure()->mutable_sparse(),
                                            &page.buffers));
  page.description = std::move(layout);
  return page;
}

Result<EncodedPage> EncodeScalarPage(const PageContext& context, const LeafPath& path,
                                     const FixedBlock& block, uint64_t slot) {
  EncodedPage page;
  PlanarLayout layout;
  layout.mutable_values()->mutable_constant()->set_scalar(block.value_bytes(slot));
  if (context.rows.has_levels() || path.slots_per_row != 1) {
    ARROW_RETURN_NOT_OK(EncodeSparseStructure(path, context.rows, context.pool,
                                              layout.mutable_structure()->mutable_sparse(),
                                              &page.buffers));
  } else {
    DescribeLayers(context.rows, layout.mutable_structure()->mutable_dense()->mutable_layers());
  }
  page.description = std::move(layout);
  return page;
}

ShreddedRows LeafSlots(const ShreddedRows& rows) {
  ShreddedRows out;
  out.num_rows = out.num_items = out.num_values = rows.num_values;
  out.layers.resize(1);
  out.leaves = rows.leaves;
  return out;
}

ShreddedRows ValidLeafSlots(const ShreddedRows& rows) {
  if (!rows.has_null_leaves()) return LeafSlots(rows);
  ShreddedRows out;
  out.layers.resize(1);
  uint64_t item = 0;
  for (const LeafSlice& slice : rows.leaves) {
    int64_t start = 0;
    auto close = [&](int64_t end) {
      if (end > start) out.leaves.push_back({slice.array, slice.offset + start, end - start});
      start = end + 1;
    };
    for (int64_t i = 0; i < slice.length; ++i, ++item) {
      while (!rows.is_visible(item)) ++item;
      if (rows.definition[item] != 0) close(i);
    }
    close(slice.length);
  }
  for (const LeafSlice& slice : out.leaves) out.num_values += static_cast<uint64_t>(slice.length);
  out.num_rows = out.num_items = out.num_values;
  return out;
}

Status AddStructure(const PageContext& context, const LeafPath& path, EncodedPage* page) {
  PlanarLayout layout;
  DescribeValues(page->layout(), /*levels=*/false, layout.mutable_values());
  ARROW_RETURN_NOT_OK(EncodeSparseStructure(path, context.rows, context.pool,
                                            layout.mutable_structure()->mutable_sparse(),
                                            &page->buffers));
  page->description = std::move(layout);
  return Status::OK();
}

}  // namespace lance::encoding
