#include "arrow/type.h"
#include "base/byte_reader.h"
#include "encoding/write/page_layouts.h"
#include "encoding/write/scratch_array.h"

namespace lance::encoding {
namespace {

constexpr uint64_t kWordBits = 64;
/// Position and size.
constexpr uint64_t kRowBytes = 16;
/// The position of a null says what is null: `definition << 16 | repetition`.
constexpr uint32_t kDefinitionShift = 16;

Result<ScratchArray<uint8_t>> DescriptorsOf(const PageContext& context) {
  const ShreddedRows& rows = context.rows;
  ARROW_ASSIGN_OR_RAISE(LeafBlock positions, GatherMember(*arrow::uint64(), 0, rows, context.pool));
  ARROW_ASSIGN_OR_RAISE(LeafBlock sizes, GatherMember(*arrow::uint64(), 1, rows, context.pool));
  ARROW_ASSIGN_OR_RAISE(auto out,
                        ScratchArray<uint8_t>::Allocate(rows.num_items * kRowBytes, context.pool));
  for (uint64_t i = 0; i < rows.num_items; ++i) {
    const uint64_t definition = rows.definition.empty() ? 0 : rows.definition[i];
    uint64_t position = definition << kDefinitionShift;
    uint64_t size = 0;
    if (definition == 0) {
      position = LoadLittleEndian<uint64_t>(positions.fixed.data + i * sizeof(uint64_t));
      size = LoadLittleEndian<uint64_t>(sizes.fixed.data + i * sizeof(uint64_t));
    }
    StoreLittleEndian(position, out.data() + i * kRowBytes);
    StoreLittleEndian(size, out.data() + i * kRowBytes + sizeof(uint64_t));
  }
  return out;
}

}  // namespace

Result<EncodedPage> EncodeBlobPage(const PageContext& context) {
  ARROW_ASSIGN_OR_RAISE(auto descriptors, DescriptorsOf(context));
  FixedBlock block = {context.rows.num_items, 2 * kWordBits, descriptors.data()};
  ARROW_ASSIGN_OR_RAISE(auto values, EncodePackedStructs(block, {kWordBits, kWordBits}));
  // What is null is in the descriptors, so that the rows inside have no levels.
  ShreddedRows inner;
  inner.num_rows = inner.num_items = inner.num_values = context.rows.num_items;
  inner.layers.resize(1);
  const PageContext inner_context = {inner, context.minor_version, context.hints, context.pool};
  ARROW_ASSIGN_OR_RAISE(EncodedPage page, EncodeMiniBlockPage(inner_context, *values, nullptr));
  encodings21::PageLayout layout;
  *layout.mutable_blob_layout()->mutable_inner_layout() = std::move(page.layout());
  DescribeLayers(context.rows, layout.mutable_blob_layout()->mutable_layers());
  page.layout() = std::move(layout);
  return page;
}

}  // namespace lance::encoding
