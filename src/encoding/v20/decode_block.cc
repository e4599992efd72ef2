#include "encoding/v20/decode_block.h"

#include <algorithm>
#include <cstring>

namespace lance::encoding::v20 {
namespace {

Status FindOne(const NeededBytes& need, std::span<const PageBuffer> buffers,
               std::span<const Bytes> bytes, std::vector<Bytes>* found) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const PageBuffer& buffer = buffers[i];
    if (need.offset < buffer.offset || need.offset - buffer.offset > buffer.size) continue;
    if (need.size > buffer.size - (need.offset - buffer.offset)) continue;
    found->push_back(bytes[i].subspan(need.offset - buffer.offset, need.size));
    return Status::OK();
  }
  return Corrupt("values of a dictionary lie outside of its buffers");
}

Result<std::vector<Bytes>> Find(std::span<const NeededBytes> needs,
                                std::span<const PageBuffer> buffers, std::span<const Bytes> bytes) {
  std::vector<Bytes> found;
  for (const NeededBytes& need : needs) {
    ARROW_RETURN_NOT_OK(FindOne(need, buffers, bytes, &found));
  }
  return found;
}

}  // namespace

LeafShape ItemsShape(bool variable, uint64_t value_bits) {
  LeafShape shape;
  shape.values = variable ? LeafShape::Values::kVariable : LeafShape::Values::kFixed;
  shape.large_offsets = true;
  shape.value_bits = value_bits;
  shape.layers = {{LayerKind::kItem}};
  return shape;
}

Result<std::shared_ptr<const DecodedBlock>> DecodeBlock(PageReader& page,
                                                        std::span<const PageBuffer> buffers,
                                                        std::span<const Bytes> bytes,
                                                        arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto sink, LeafSink::Make(page.shape(), page.num_rows(), pool));
  if (page.shape().values == LeafShape::Values::kFixed) {
    ARROW_RETURN_NOT_OK(sink->AppendFixed(page.num_rows()).status());
  }
  ARROW_ASSIGN_OR_RAISE(auto index, Find(page.IndexNeeds(), buffers, bytes));
  ARROW_RETURN_NOT_OK(page.LoadIndex(index, pool));
  if (page.num_rows() > 0) {
    auto cursor = page.Start({{0, page.num_rows()}});
    std::vector<NeededBytes> needs;
    for (;;) {
      needs.clear();
      ARROW_RETURN_NOT_OK(cursor->Needs(*sink, 0, &needs));
      if (needs.empty()) break;
      ARROW_ASSIGN_OR_RAISE(auto found, Find(needs, buffers, bytes));
      ARROW_RETURN_NOT_OK(cursor->Feed(found));
    }
    ARROW_RETURN_NOT_OK(cursor->DecodeInto(*sink, 0));
  }
  return FinishBlock(*sink, page.num_rows());
}

Result<std::shared_ptr<const DecodedBlock>> FinishBlock(LeafSink& sink, uint64_t num_values) {
  auto block = std::make_shared<DecodedBlock>();
  block->num_values = num_values;
  block->variable = sink.shape().values == LeafShape::Values::kVariable;
  block->value_bits = sink.shape().value_bits;
  int64_t null_count = 0;
  block->validity = sink.FinishValidity(&null_count);
  if (!block->variable) {
    ARROW_ASSIGN_OR_RAISE(block->values, sink.FinishFixed());
    return block;
  }
  ARROW_RETURN_NOT_OK(sink.ReserveVariable(0, DecodedBlock::kReadableSlack));
  ARROW_ASSIGN_OR_RAISE(block->offsets, sink.FinishOffsets());
  ARROW_ASSIGN_OR_RAISE(block->values, sink.FinishData());
  const int64_t* offsets = block->offset_data();
  for (uint64_t i = 0; i < block->num_values; ++i) {
    block->longest_item =
        std::max(block->longest_item, static_cast<uint64_t>(offsets[i + 1] - offsets[i]));
  }
  return block;
}

}  // namespace lance::encoding::v20
