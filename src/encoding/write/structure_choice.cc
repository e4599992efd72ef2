#include "encoding/write/structure_choice.h"

#include "arrow/buffer.h"
#include "encoding/write/level_encoder.h"
#include "encoding/write/sparse_structure.h"
#include "encodings23.pb.h"

namespace lance::encoding {
namespace {

// What the levels take as one block.
uint64_t LevelBytes(const ScratchArray<uint16_t>& levels) {
  const LevelSlice all = {0, levels.size()};
  return LevelEncoder::Choose(levels.view(), {&all, 1}, RunLengths::kIfSmaller).chosen_bytes();
}

}  // namespace

bool FewLeavesAreValid(const ShreddedRows& rows) {
  uint64_t nulls = 0;
  ForEachNullLeaf(rows, [&](uint64_t) { ++nulls; });
  return (rows.num_values - nulls) * 2 < rows.num_values;
}

Result<bool> ListsAreSmallerApart(const PageContext& context, const LeafPath& path) {
  const ShreddedRows& rows = context.rows;
  if (rows.all_visible() || rows.num_items <= MaxChunkItems(rows)) return false;
  encodings23::SparseStructure structure;
  std::vector<std::shared_ptr<arrow::Buffer>> payloads;
  ARROW_RETURN_NOT_OK(EncodeSparseStructure(path, rows, context.pool, &structure, &payloads));
  uint64_t apart = structure.ByteSizeLong();
  for (const auto& payload : payloads) apart += static_cast<uint64_t>(payload->size());
  return apart < LevelBytes(rows.repetition) + LevelBytes(rows.definition);
}

}  // namespace lance::encoding
