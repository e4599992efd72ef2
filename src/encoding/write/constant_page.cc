#include <cstring>
#include <string>
#include <utility>

#include "arrow/buffer.h"
#include "encoding/write/level_encoder.h"
#include "encoding/write/page_layouts.h"

namespace lance::encoding {
namespace {

Result<std::shared_ptr<arrow::Buffer>> RawLevels(const ScratchArray<uint16_t>& levels,
                                                 arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto out, ScratchArray<uint16_t>::Allocate(levels.size(), pool));
  if (!levels.empty()) std::memcpy(out.data(), levels.data(), levels.view().size_bytes());
  return out.buffer();
}

// The levels of a page as one block.
Result<std::shared_ptr<arrow::Buffer>> PackedLevels(const ScratchArray<uint16_t>& levels,
                                                    arrow::MemoryPool* pool,
                                                    encodings21::CompressiveEncoding* encoding) {
  const LevelSlice all = {0, levels.size()};
  const LevelEncoder encoder =
      LevelEncoder::Choose(levels.view(), {&all, 1}, RunLengths::kIfSmaller);
  encoder.Describe(encoding);
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::ResizableBuffer> out,
      arrow::AllocateResizableBuffer(static_cast<int64_t>(encoder.MaxBytes(levels.size())), pool));
  const uint64_t size = encoder.Encode(levels.view(), out->mutable_data());
  ARROW_RETURN_NOT_OK(out->Resize(static_cast<int64_t>(size), /*shrink_to_fit=*/false));
  return out;
}

// u32 number of buffers, u32 size of each, the buffers: those of an Arrow array of one element.
std::shared_ptr<arrow::Buffer> FrameScalar(const std::vector<std::string>& buffers) {
  std::string out;
  auto put = [&out](size_t number) {
    const auto word = static_cast<uint32_t>(number);
    out.append(reinterpret_cast<const char*>(&word), sizeof(word));
  };
  put(buffers.size());
  for (const std::string& buffer : buffers) put(buffer.size());
  for (const std::string& buffer : buffers) out += buffer;
  return arrow::Buffer::FromString(std::move(out));
}

std::string StringOffsets(const VariableBlock& block, uint64_t slot) {
  std::string offsets(2 * block.offset_bits / 8, '\0');
  const uint64_t length = block.length(slot);
  // Little endian: the low bytes of the 64-bit number are the 32-bit one.
  std::memcpy(offsets.data() + block.offset_bits / 8, &length, block.offset_bits / 8);
  return offsets;
}

}  // namespace

Result<EncodedPage> EncodeAllNullPage(const PageContext& context) {
  const ShreddedRows& rows = context.rows;
  EncodedPage page;
  auto* layout = page.layout().mutable_constant_layout();
  DescribeLayers(rows, layout->mutable_layers());
  const bool simple = rows.layers.size() == 1 && rows.layers[0].has_nulls;
  if (simple) return page;
  if (context.minor_version < kMinorVersion2_2) {
    ARROW_ASSIGN_OR_RAISE(auto repetition, RawLevels(rows.repetition, context.pool));
    ARROW_ASSIGN_OR_RAISE(auto definition, RawLevels(rows.definition, context.pool));
    page.buffers = {std::move(repetition), std::move(definition)};
    return page;
  }
  page.buffers = {std::make_shared<arrow::Buffer>(nullptr, 0),
                  std::make_shared<arrow::Buffer>(nullptr, 0)};
  if (!rows.repetition.empty()) {
    ARROW_ASSIGN_OR_RAISE(page.buffers[0], PackedLevels(rows.repetition, context.pool,
                                                        layout->mutable_rep_compression()));
    layout->set_num_rep_values(rows.repetition.size());
  }
  if (!rows.definition.empty()) {
    ARROW_ASSIGN_OR_RAISE(page.buffers[1], PackedLevels(rows.definition, context.pool,
                                                        layout->mutable_def_compression()));
    layout->set_num_def_values(rows.definition.size());
  }
  return page;
}

Result<EncodedPage> EncodeConstantPage(const PageContext& context, const LeafBlock& block,
                                       uint64_t slot) {
  const ShreddedRows& rows = context.rows;
  EncodedPage page;
  auto* layout = page.layout().mutable_constant_layout();
  DescribeLayers(rows, layout->mutable_layers());
  if (block.kind == LeafBlock::Kind::kVariable) {
    const VariableBlock& from = block.variable;
    const auto* bytes = reinterpret_cast<const char*>(from.bytes) + from.offset(slot);
    page.buffers.push_back(FrameScalar(
        {StringOffsets(from, slot),
         from.length(slot) == 0 ? std::string() : std::string(bytes, from.length(slot))}));
  } else if (std::string value = block.fixed.value_bytes(slot); value.size() <= kMaxInlineBytes) {
    layout->set_inline_value(std::move(value));
  } else {
    page.buffers.push_back(FrameScalar({std::move(value)}));
  }
  if (!rows.has_levels()) return page;
  ARROW_ASSIGN_OR_RAISE(auto repetition, RawLevels(rows.repetition, context.pool));
  ARROW_ASSIGN_OR_RAISE(auto definition, RawLevels(rows.definition, context.pool));
  page.buffers.push_back(std::move(repetition));
  page.buffers.push_back(std::move(definition));
  return page;
}

}  // namespace lance::encoding
