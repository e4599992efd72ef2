#include "encoding/read/plain_values_cursor.h"

#include <algorithm>
#include <cstring>

namespace lance::encoding {
namespace {

/// Values that stand together, on average; chunks have about a thousand.
constexpr uint64_t kFewValues = 64;

}  // namespace

bool PlainValuesCursor::IsFor(const std::vector<RowRange>& rows) {
  return CountRows(rows) <= kFewValues * rows.size();
}

Status PlainValuesCursor::Needs(LeafSink&, uint64_t, std::vector<NeededBytes>* needs) {
  if (fed_) return Status::OK();
  const uint64_t width = page_.plain_bytes_;
  for (const RowRange& range : rows_) {
    for (uint64_t row = range.start; row < range.end();) {
      const uint64_t chunk = page_.ChunkOfValue(row);
      const uint64_t end = std::min(range.end(), page_.values_before_[chunk + 1]);
      const uint64_t begin = page_.values_before_[chunk];
      const uint64_t offset =
          page_.chunk_offset_[chunk] + kBareChunkHeaderBytes + (row - begin) * width;
      const uint64_t size = (end - row) * width;
      if (offset + size > page_.chunk_offset_[chunk + 1]) {
        return Corrupt("chunk ", chunk, " of ", page_.values_in(chunk), " values of ", width,
                       " bytes takes ", page_.chunk_offset_[chunk + 1] - page_.chunk_offset_[chunk],
                       " bytes");
      }
      needs->push_back({page_.buffers_[1].offset + offset, size});
      row = end;
    }
  }
  return Status::OK();
}

Status PlainValuesCursor::Feed(std::span<const Bytes> bytes) {
  bytes_.assign(bytes.begin(), bytes.end());
  fed_ = true;
  return Status::OK();
}

Status PlainValuesCursor::DecodeInto(LeafSink& sink, uint64_t at) {
  uint8_t* out = sink.fixed_data() + at * page_.plain_bytes_;
  for (const Bytes& range : bytes_) {
    std::memcpy(out, range.data(), range.size());
    out += range.size();
  }
  return sink.AppendLevels(nullptr, nullptr, page_.levels_.to_canonical, CountRows(rows_));
}

}  // namespace lance::encoding
