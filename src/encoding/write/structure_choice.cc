#include "encoding/write/structure_choice.h"

#include <utility>

#include "arrow/buffer.h"
#include "encoding/write/leaf_path.h"

namespace lance::encoding {
namespace {

bool FewLeavesAreValid(const ShreddedRows& rows) {
  uint64_t nulls = 0;
  ForEachNullLeaf(rows, [&](uint64_t) { ++nulls; });
  return (rows.num_values - nulls) * 2 < rows.num_values;
}

uint64_t StoredBytes(const EncodedPage& page) {
  uint64_t bytes = 0;
  for (const auto& buffer : page.buffers) bytes += static_cast<uint64_t>(buffer->size());
  return bytes;
}

}  // namespace

StructurePlace PlaceOf(const PageContext& context, bool wide, bool keys) {
  using Structure = EncodingHints::Structure;
  const ShreddedRows& rows = context.rows;
  if (context.minor_version < kMinorVersion2_3 || !rows.has_levels()) {
    return StructurePlace::kLevels;
  }
  if (context.hints.structure != Structure::kChosen) {
    return context.hints.structure == Structure::kSparse ? StructurePlace::kApart
                                                         : StructurePlace::kLevels;
  }
  // Wide values are stored of the valid slots only where the structure stands apart.
  if ((wide || keys) && FewLeavesAreValid(rows)) {
    return wide ? StructurePlace::kApart : StructurePlace::kSmaller;
  }
  if (rows.all_visible() || rows.num_items <= MaxChunkItems(rows)) return StructurePlace::kLevels;
  return FitsMiniBlocks(rows) ? StructurePlace::kSmaller : StructurePlace::kApart;
}

EncodedPage SmallerPage(EncodedPage levels, EncodedPage apart) {
  return StoredBytes(levels) <= StoredBytes(apart) ? std::move(levels) : std::move(apart);
}

}  // namespace lance::encoding
