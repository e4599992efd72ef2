#include "encoding/write/zstd_block.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/buffer_builder.h"
#include "encoding/codec/zstd_frames.h"
#include "encoding/write/scratch_array.h"

namespace lance::encoding {
namespace {

/// Only for pages of at least so many bytes with a string longer than that.
constexpr uint64_t kMinBytes = 32768;
constexpr int32_t kLevel = 3;
/// A few strings and the longest, cut at this size, tell whether the page shrinks at all.
constexpr uint64_t kProbes = 8;
constexpr uint64_t kProbeBytes = 65536;
constexpr uint64_t kMaxSizePercent = 95;

Bytes ValueAt(const VariableBlock& block, uint64_t index) {
  return {block.bytes + block.offset(index), static_cast<size_t>(block.length(index))};
}

Result<bool> ProbesShrink(const VariableBlock& block, uint64_t longest, ZstdFrameWriter* writer) {
  std::vector<uint8_t> out(ZstdFrameWriter::MaxFrameSize(kProbeBytes));
  uint64_t before = 0;
  uint64_t after = 0;
  auto probe = [&](uint64_t index) -> Status {
    Bytes value = ValueAt(block, index);
    value = value.first(std::min<size_t>(value.size(), kProbeBytes));
    ARROW_ASSIGN_OR_RAISE(uint64_t size, writer->Write(value, out.data()));
    before += value.size();
    after += size;
    return Status::OK();
  };
  const uint64_t step = std::max<uint64_t>(1, block.count / kProbes);
  for (uint64_t i = 0; i < block.count; i += step) ARROW_RETURN_NOT_OK(probe(i));
  ARROW_RETURN_NOT_OK(probe(longest));
  return after * 100 < before * kMaxSizePercent;
}

}  // namespace

Result<std::optional<ZstdBlock>> CompressWithZstd(const VariableBlock& block,
                                                  const EncodingHints& hints,
                                                  arrow::MemoryPool* pool) {
  if (block.data_size() < kMinBytes) return std::nullopt;
  // Also for LZ4: like the reference's pages, readers expect zstd frames here.
  const uint64_t longest = LongestString(block);
  if (!hints.wants_general() && block.length(longest) <= kMinBytes) return std::nullopt;
  const int32_t level = hints.compression == EncodingHints::Compression::kZstd
                            ? hints.compression_level.value_or(kLevel)
                            : kLevel;
  ZstdFrameWriter writer(level);
  ARROW_ASSIGN_OR_RAISE(bool shrinks, ProbesShrink(block, longest, &writer));
  if (!shrinks) return std::nullopt;

  ARROW_ASSIGN_OR_RAISE(auto offsets, ScratchArray<uint64_t>::Allocate(block.count + 1, pool));
  arrow::BufferBuilder frames(pool);
  for (uint64_t i = 0; i < block.count; ++i) {
    offsets[i] = static_cast<uint64_t>(frames.length());
    const Bytes value = ValueAt(block, i);
    ARROW_RETURN_NOT_OK(
        frames.Reserve(static_cast<int64_t>(ZstdFrameWriter::MaxFrameSize(value.size()))));
    ARROW_ASSIGN_OR_RAISE(uint64_t size,
                          writer.Write(value, frames.mutable_data() + frames.length()));
    frames.UnsafeAdvance(static_cast<int64_t>(size));
  }
  offsets[block.count] = static_cast<uint64_t>(frames.length());
  ZstdBlock out;
  out.level = level;
  ARROW_ASSIGN_OR_RAISE(out.frames, frames.Finish(/*shrink_to_fit=*/false));
  out.offsets = offsets.buffer();
  out.block = {block.count, 64, reinterpret_cast<const uint8_t*>(offsets.data()),
               out.frames->data()};
  return out;
}

}  // namespace lance::encoding
